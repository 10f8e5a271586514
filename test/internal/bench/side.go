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

// Row has the measurements of both engines for one operation on one object.
type Row struct {
	Name string
	// Upstream has the costs of structured-merge-diff, and Ours the costs of Dovetail, by
	// unit.
	Upstream, Ours map[string]float64
}

// Ratio returns the cost of structured-merge-diff divided by the cost of Dovetail, or 0 if one
// of the costs is unknown.
func (r Row) Ratio(unit string) float64 {
	if r.Upstream[unit] == 0 || r.Ours[unit] == 0 {
		return 0
	}
	return r.Upstream[unit] / r.Ours[unit]
}

// operation returns the name of the operation without the object.
func (r Row) operation() string { return r.Name[:max(strings.LastIndexByte(r.Name, '/'), 0)] }

// compared lists the units in which a row compares the engines.
var compared = []string{Instructions, CPU, Bytes, Allocs}

// SideBySide returns a row for each operation and object that was measured with both engines.
// The row also has the measurements of BenchmarkFresh for this operation and object.
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

// Mean returns the geometric mean of the ratios in a unit, or 0 if there is no ratio.
func (g Group) Mean(unit string) float64 {
	if g.means[unit].n == 0 {
		return 0
	}
	return g.means[unit].value()
}

// Least returns the smallest ratio in a unit, or 0 if there is no ratio.
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

// These are the minimum ratios that Dovetail promises. For memory, the promise is to use at
// most as much as structured-merge-diff.
const (
	leastCPU   = 1.2
	leastBytes = 1.0
)

// aboutRatios explains the ratios in the header of a table.
const aboutRatios = "ratio: cost with structured-merge-diff divided by cost with Dovetail"

// WriteSideBySide writes three Markdown tables: means, rows below the promised minimum, and all
// rows.
func WriteSideBySide(w io.Writer, rows []Row) error {
	fmt.Fprint(w, `# Speed of operations

This page compares the speed of Dovetail and structured-merge-diff v6.4.2. One run measured both engines. The
measurements are in the folder `+"`results`"+`, and `+"`go run .` in `test/figures`"+` writes this page from them.

The numbers in the tables are ratios, unless the column says something else. A ratio is the cost with
structured-merge-diff divided by the cost with Dovetail. So 4.00 means that structured-merge-diff costs four times as
much. There are three kinds of costs:

* *Instructions*: the number of instructions. The tool callgrind counts them, with the garbage collector off.
* *CPU*: the CPU time of the process, with the garbage collector on. As in a server, each run of an
  operation gets newly decoded objects. This time includes waiting for memory, which the number of instructions does
  not show. So most ratios of CPU are smaller than the ratio of instructions.
* *Bytes*: the allocated memory.

"-" in a table means that the cost was not measured.

In a name such as a/Validate, the letter before the slash is the group of the operation. These are the groups:

| group | operations |
|---|---|
| a | validate an object |
| b | get the field set of an object |
| c | merge a config into an object |
| d | compare two objects |
| e | apply the same config again |
| f | apply a config with one new value |
| g | apply a config without one of its fields |
| h | update the status of an object with the given number of managers |
| i | decode or encode the managed fields of an object |
| j | unite two field sets |
| k | apply or update a Go struct with the complete field manager of apimachinery |
| r | run an operation of the groups a to h on a Go struct instead of plain data |

In the first table, each row shows one operation on several objects. The objects have types of Kubernetes
1.37, or are custom resources of well-known projects. "Mean" is the geometric mean of the ratios, and
"least" is the smallest ratio.

`)
	groups, all := Means(rows), newGroup("all")
	for _, r := range rows {
		all.add(r)
	}
	table := [][]string{{"operation (" + aboutRatios + ")", "number of objects", "ratio of instructions, mean", "ratio of instructions, least", "ratio of CPU, mean", "ratio of CPU, least", "ratio of bytes, mean", "ratio of bytes, least"}}
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
	fmt.Fprintf(w, "\n## Operations below the promised minimum\n\nDovetail promises that each ratio of CPU is at least %.1f, and that Dovetail does not allocate more memory than\nstructured-merge-diff. The following operations do not keep this promise. The last part of a name is the name of the object.\n\n", leastCPU)
	table = [][]string{{"operation and object (" + aboutRatios + ")", "ratio of instructions", "ratio of CPU", "ratio of bytes"}}
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
	fmt.Fprint(w, "\n## All operations\n\nThe last part of a name is the name of the object. The last three columns contain no ratios. They show the cost of one run\nwith Dovetail: its CPU time (us means microseconds), its allocated bytes, and its number of allocations.\n\n")
	table = [][]string{{"operation and object (" + aboutRatios + ")", "ratio of instructions", "ratio of CPU", "ratio of bytes", "CPU time with Dovetail", "bytes with Dovetail", "number of allocations with Dovetail"}}
	for _, r := range rows {
		table = append(table, []string{r.Name, times(r.Ratio(Instructions)), times(r.Ratio(CPU)), times(r.Ratio(Bytes)),
			formatMeasured(r.Ours[CPU], duration), formatMeasured(r.Ours[Bytes], count), formatMeasured(r.Ours[Allocs], count)})
	}
	return write(w, table, true)
}

func times(ratio float64) string {
	return formatMeasured(ratio, func(n float64) string { return fmt.Sprintf("%.2f", n) })
}

// formatMeasured calls write to format a number. For 0, which means "not measured", it returns
// "-".
func formatMeasured(n float64, write func(float64) string) string {
	if n == 0 {
		return "-"
	}
	return write(n)
}
