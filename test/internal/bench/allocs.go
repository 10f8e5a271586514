// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// Bound has the maximum number of allocations of an operation with each engine.
type Bound struct{ Upstream, Dovetail int }

var (
	allocations = regexp.MustCompile(`(?m)^.*\ballocations (\S+) (\d+)$`)
	held        = regexp.MustCompile(`(?m)^.*\bheld (\S+) (\d+)$`)
)

// Allocations reads the lines "allocations <name> <n>" in the output of a test, and returns
// the numbers by name.
func Allocations(text []byte) map[string]int { return numbers(allocations, text) }

// Held reads the lines "held <name> <bytes>" in the output of a test, and returns the numbers
// by name.
func Held(text []byte) map[string]int { return numbers(held, text) }

func numbers(line *regexp.Regexp, text []byte) map[string]int {
	found := map[string]int{}
	for _, m := range line.FindAllSubmatch(text, -1) {
		n, err := strconv.Atoi(string(m[2]))
		if err == nil {
			found[string(m[1])] = n
		}
	}
	return found
}

// ReadAllocs reads the output of WriteAllocs.
func ReadAllocs(text []byte) (map[string]Bound, error) {
	all := map[string]Bound{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		var name string
		var a Bound
		if _, err := fmt.Sscan(line, &name, &a.Upstream, &a.Dovetail); err != nil {
			return nil, fmt.Errorf("line %d: %q is not a name and two numbers", number, line)
		}
		all[name] = a
	}
	return all, lines.Err()
}

// WriteAllocs writes one line for each operation, sorted by name.
func WriteAllocs(w io.Writer, all map[string]Bound) error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, err := fmt.Fprintf(w, "%-48s %7d %7d\n", name, all[name].Upstream, all[name].Dovetail); err != nil {
			return err
		}
	}
	return nil
}

// Above describes the operations that exceed their bound, the operations that have no bound,
// and the bounds that have no measurement.
func Above(bounds map[string]Bound, measured map[string]int) []string {
	var wrong []string
	for name, n := range measured {
		bound, ok := bounds[name]
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("%s: %d allocations, but no bound", name, n))
		case n > bound.Dovetail:
			wrong = append(wrong, fmt.Sprintf("%s: %d allocations, more than %d", name, n, bound.Dovetail))
		}
	}
	for name := range bounds {
		if _, ok := measured[name]; !ok {
			wrong = append(wrong, name+": has a bound, but there is no such operation")
		}
	}
	slices.Sort(wrong)
	return wrong
}
