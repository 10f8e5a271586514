// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Row is one operation on one object, with the measurements of both engines.
type Row struct {
	Name string
	// Upstream and Ours have the costs with structured-merge-diff and with Dovetail, by unit.
	Upstream, Ours map[string]float64
}

// Ratio returns the cost with structured-merge-diff divided by the cost with Dovetail, or 0 if
// one of them is unknown.
func (r Row) Ratio(unit string) float64 {
	if r.Upstream[unit] == 0 || r.Ours[unit] == 0 {
		return 0
	}
	return r.Upstream[unit] / r.Ours[unit]
}

// operation returns the name of the operation without the object.
func (r Row) operation() string { return r.Name[:max(strings.LastIndexByte(r.Name, '/'), 0)] }

// compared lists the units of a row.
var compared = []string{Instructions, CPU, Bytes, Allocs}

// SideBySide returns a row for each operation that was measured with both engines. Measurements
// of BenchmarkFresh count for the operation with the same name.
func SideBySide(upstream, ours *Results) []Row {
	rows := map[string]Row{}
	for i, r := range []*Results{upstream, ours} {
		for _, full := range r.Names {
			name := strings.TrimPrefix(full, "Fresh/")
			row, ok := rows[name]
			if !ok {
				row = Row{name, map[string]float64{}, map[string]float64{}}
				rows[name] = row
			}
			to := [...]map[string]float64{row.Upstream, row.Ours}[i]
			for _, unit := range compared {
				if n := r.Median(full, unit); n > 0 {
					to[unit] = n
				}
			}
			if n := r.Time(full); n > 0 {
				to[CPU] = n
			}
		}
	}
	maps.DeleteFunc(rows, func(_ string, r Row) bool { return len(r.Upstream) == 0 || len(r.Ours) == 0 })
	return slices.SortedFunc(maps.Values(rows), func(a, b Row) int { return inOrder(a.Name, b.Name) })
}

// Group has the rows of one operation on all objects.
type Group struct {
	Name  string
	Rows  []Row
	means map[string]*mean
}

// Mean returns the geometric mean of the ratios in a unit, or 0 if there are none.
func (g Group) Mean(unit string) float64 {
	if g.means[unit].n == 0 {
		return 0
	}
	return g.means[unit].value()
}

// Least returns the smallest ratio in a unit, or 0 if there are none.
func (g Group) Least(unit string) float64 { return g.means[unit].least }

// Means returns one group for each operation, in the order of the rows.
func Means(rows []Row) []Group {
	var groups []Group
	for _, r := range rows {
		if n := len(groups); n == 0 || groups[n-1].Name != r.operation() {
			groups = append(groups, newGroup(r.operation()))
		}
		groups[len(groups)-1].add(r)
	}
	return groups
}

func newGroup(name string) Group {
	g := Group{Name: name, means: map[string]*mean{}}
	for _, unit := range compared {
		g.means[unit] = &mean{}
	}
	return g
}

func (g *Group) add(r Row) {
	g.Rows = append(g.Rows, r)
	for _, unit := range compared {
		if r.Ratio(unit) > 0 {
			g.means[unit].add(r.Upstream[unit], r.Ours[unit])
		}
	}
}

// The promised minimum is this ratio of CPU, and not more memory than structured-merge-diff.
const (
	leastCPU   = 1.2
	leastBytes = 1.0
)

// WriteSideBySide writes three Markdown tables: means, rows below the promised minimum, and all
// rows.
func WriteSideBySide(w io.Writer, rows []Row) error {
	fmt.Fprint(w, `# Speed of operations

This page compares Dovetail with structured-merge-diff v6.4.2. `+"`go run .` in `test/figures`"+` writes
it from the measurements in `+"`results`"+`. The objects have types of Kubernetes 1.37, or are real
custom resources.

Each number is a ratio: the cost with structured-merge-diff divided by the cost with Dovetail.
A larger number is better. One run measured both.

* *Instructions*: callgrind counts them, with the garbage collector off.
* *CPU*: the CPU time of the process, with the garbage collector on. Each operation gets objects
  that were decoded only for it, as in a server. Such an operation mostly waits for memory. So
  the ratio of CPU is about half of the ratio of instructions.
* *Bytes*: the allocated memory.
* "-": not measured.

The first table shows geometric means over several objects, and the smallest ratios.

`)
	groups, all := Means(rows), newGroup("all")
	for _, r := range rows {
		all.add(r)
	}
	table := [][]string{{"operation", "objects", "instructions", "minimum", "CPU", "minimum", "bytes", "minimum"}}
	for _, g := range append(groups, all) {
		row := []string{g.Name, fmt.Sprint(len(g.Rows))}
		for _, unit := range []string{Instructions, CPU, Bytes} {
			row = append(row, times(g.Mean(unit)), times(g.Least(unit)))
		}
		table = append(table, row)
	}
	if err := write(w, table, true); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n## Operations below the promised minimum\n\nIn these operations, the ratio of CPU is below %.1f, or Dovetail allocates more memory.\n\n", leastCPU)
	table = [][]string{{"operation", "instructions", "CPU", "bytes"}}
	for _, r := range rows {
		if cpu, bytes := r.Ratio(CPU), r.Ratio(Bytes); cpu > 0 && cpu < leastCPU || bytes > 0 && bytes < leastBytes {
			table = append(table, []string{r.Name, times(r.Ratio(Instructions)), times(cpu), times(bytes)})
		}
	}
	if len(table) > 1 {
		if err := write(w, table, true); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(w, "There are none.")
	}
	fmt.Fprint(w, "\n## All operations\n\nThe last three columns show the cost with Dovetail.\n\n")
	table = [][]string{{"operation", "instructions", "CPU", "bytes", "Dovetail's CPU", "Dovetail's bytes", "Dovetail's allocations"}}
	for _, r := range rows {
		table = append(table, []string{r.Name, times(r.Ratio(Instructions)), times(r.Ratio(CPU)), times(r.Ratio(Bytes)),
			formatMeasured(r.Ours[CPU], duration), formatMeasured(r.Ours[Bytes], count), formatMeasured(r.Ours[Allocs], count)})
	}
	return write(w, table, true)
}

func times(ratio float64) string {
	return formatMeasured(ratio, func(n float64) string { return fmt.Sprintf("%.2f", n) })
}

// formatMeasured formats a number with write. It returns "-" for 0, which means "not measured".
func formatMeasured(n float64, write func(float64) string) string {
	if n == 0 {
		return "-"
	}
	return write(n)
}
