// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Counts has the number of instructions in one run of each operation.
type Counts map[string]float64

// Lines returns the counts in the format of Go benchmarks.
func (c Counts) Lines() []byte {
	var text []byte
	for _, name := range slices.SortedFunc(maps.Keys(c), inOrder) {
		text = fmt.Appendf(text, "Benchmark%s 1 %.0f %s\n", name, c[name], Instructions)
	}
	return text
}

// Above describes the counts that have grown since earlier measurements: each count that exceeds
// the earlier count times the given factor, and each count that is new.
func (c Counts) Above(baseline *Results, factor float64) []string {
	var above []string
	for _, name := range slices.SortedFunc(maps.Keys(c), inOrder) {
		if was := baseline.Median(name, Instructions); c[name] > factor*was {
			above = append(above, fmt.Sprintf("%s: %s, once %s", name, count(c[name]), count(was)))
		}
	}
	return above
}

// InstructionTable writes a row for each operation and object that both engines ran: the
// instructions of structured-merge-diff, the instructions of Dovetail, and the ratio. Then it
// writes geometric means of the ratios: one for each operation, and one for all rows. If
// markdown is set, it writes a Markdown table.
func InstructionTable(w io.Writer, upstream, ours Counts, markdown bool) error {
	means := map[string]*mean{}
	all := &mean{}
	rows := [][]string{{"operation", "SMD", "ours", "ratio"}}
	var names []string
	for name := range ours {
		if upstream[name] > 0 && ours[name] > 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, inOrder)
	var groups []string
	for _, name := range names {
		rows = append(rows, []string{name, count(upstream[name]), count(ours[name]), ratio(upstream[name], ours[name])})
		group := name[:max(strings.LastIndexByte(name, '/'), 0)]
		if means[group] == nil {
			means[group] = &mean{}
			groups = append(groups, group)
		}
		means[group].add(upstream[name], ours[name])
		all.add(upstream[name], ours[name])
	}
	if err := write(w, rows, markdown); err != nil {
		return err
	}
	rows = [][]string{{"mean of", "objects", "least", "ratio"}}
	for _, g := range groups {
		rows = append(rows, means[g].row(g))
	}
	if len(names) > 1 {
		rows = append(rows, all.row("all"))
	}
	fmt.Fprintln(w)
	return write(w, rows, markdown)
}

func (m *mean) row(name string) []string {
	return []string{name, strconv.Itoa(m.n), fmt.Sprintf("%.2f", m.least), fmt.Sprintf("%.2f", m.value())}
}

// inOrder compares two names for sorting. It sorts numbers at the end of names by their
// values.
func inOrder(a, b string) int {
	cut := func(s string) (string, int) {
		at := strings.LastIndexByte(s, '/')
		n, err := strconv.Atoi(s[at+1:])
		if err != nil {
			return s, 0
		}
		return s[:at], n
	}
	x, n := cut(a)
	y, m := cut(b)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(n, m), cmp.Compare(a, b))
}

// count formats a number with separators for thousands.
func count(n float64) string {
	s := strconv.FormatFloat(math.Round(n), 'f', 0, 64)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func write(w io.Writer, rows [][]string, markdown bool) error {
	if markdown {
		for i, row := range rows {
			if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | ")); err != nil {
				return err
			}
			if i == 0 {
				fmt.Fprintln(w, "|---|"+strings.Repeat("---:|", len(row)-1))
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(t, "%s\t %s\n", strings.Join(row[1:], "\t"), row[0])
	}
	return t.Flush()
}
