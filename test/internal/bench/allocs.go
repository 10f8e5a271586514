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

// Bound is the number of allocations of an operation, for both engines.
type Bound struct{ Upstream, Dovetail int }

var (
	allocations = regexp.MustCompile(`(?m)^.*\ballocations (\S+) (\d+)$`)
	held        = regexp.MustCompile(`(?m)^.*\bheld (\S+) (\d+)$`)
)

// Allocations returns the numbers in the lines "allocations <name> <n>" of a test's output.
func Allocations(text []byte) map[string]int { return numbers(allocations, text) }

// Held returns the numbers in the lines "held <name> <bytes>" of a test's output.
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

// Above describes the operations with more allocations than their bound, the operations without
// a bound, and the bounds without a measurement.
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
