// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
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

// operations maps the name of each benchmark to a description of its operation.
var operations = map[string]string{
	"a/Validate":                "validate an object",
	"b/ToFieldSet":              "compute the field set of an object",
	"c/MergeOneField":           "merge a config that changes one field",
	"d/CompareOneField":         "compare two objects with one different field",
	"e/ApplyNoop":               "apply a config that changes nothing",
	"f/ApplyOneField":           "apply a config that changes one field",
	"f/ApplyOneField20Managers": "apply a config that changes one field of an object with 20 managers",
	"g/ApplyDropField":          "apply a config that leaves out one field",
	"h/UpdateStatus1Managers":   "update one field of an object with 1 manager",
	"h/UpdateStatus5Managers":   "update one field of an object with 5 managers",
	"h/UpdateStatus20Managers":  "update one field of an object with 20 managers",
	"h/UpdateStatus200Managers": "update one field of an object with 200 managers",
	"i/FieldsV1Decode":          "decode managed fields",
	"i/FieldsV1Encode":          "encode managed fields",
	"j/Union":                   "unite two field sets",
	"k/FMApplyNoopStruct":       "apply a config that changes nothing, with apimachinery's field manager",
	"k/FMApplyOneFieldStruct":   "apply a config that changes one field, with apimachinery's field manager",
	"k/FMUpdateStatusStruct":    "update one field of an object, with apimachinery's field manager",
	"r/ApplyNoop":               "apply to a Go struct, changing nothing",
	"r/ApplyOneField":           "apply to a Go struct, changing one field",
	"r/CompareEqual":            "compare two equal Go structs",
	"r/CompareOneField":         "compare two Go structs with one different field",
	"r/MergeOneField":           "merge into a Go struct, changing one field",
	"r/ToFieldSet":              "compute the field set of a Go struct",
	"r/UpdateStatus":            "update one field of a Go struct",
	"r/Validate":                "validate a Go struct",
}

// objects maps the last part of a benchmark's name to a description of the object. If there is no
// description, the object is a typical object of the kind with this name.
var objects = map[string]string{
	"Application200":    "Application of Argo CD, 200 resources",
	"CRD":               "CustomResourceDefinition",
	"ConfigMap1000kB":   "ConfigMap, 1,000 values of 1 kB",
	"ConfigMap1MB":      "ConfigMap, one value of 1 MB",
	"ConfigMap500":      "ConfigMap, 500 values",
	"EndpointSlice1000": "EndpointSlice, 1,000 endpoints",
	"Endpoints1000":     "Endpoints, 1,000 addresses",
	"Fleet200":          "custom resource, 200 items",
	"Levels50":          "custom resource, 50 levels",
	"Preserved7800":     "custom resource, 7,800 undeclared values",
}

// describe returns the description of a benchmark, or its name if there is none.
func describe(descriptions map[string]string, name string) string {
	return cmp.Or(descriptions[name], name)
}

// cells returns the first two cells of a row in a table of operations and objects.
func (r Row) cells() []string {
	return []string{describe(operations, r.operation()), describe(objects, r.Name[strings.LastIndexByte(r.Name, '/')+1:])}
}

// These are the headers of the columns with ratios.
const (
	headInstructions = "instructions: structured-merge-diff ÷ Dovetail"
	headCPU          = "CPU time: structured-merge-diff ÷ Dovetail"
	headBytes        = "allocated memory: structured-merge-diff ÷ Dovetail"
)

// WriteSideBySide writes Markdown tables with the mean ratios, with the rows below the promised
// minimum, with the rows that have all costs, and with the rows for which only instructions were
// counted.
func WriteSideBySide(w io.Writer, rows []Row) error {
	fmt.Fprint(w, `# Speed of operations

This page compares the speed of Dovetail and structured-merge-diff v6.4.2. One run measured both engines. The
measurements are in the folder `+"`results`"+`, and `+"`go run .` in `test/figures`"+` writes this page from them.
[The last section](#the-recorded-run) lists the machine, and how much the measurements differ from run to run.

The numbers in the tables are ratios: the cost with structured-merge-diff divided by the cost with Dovetail. So 4.00
means that structured-merge-diff costs four times as much. There are three kinds of costs:

* *Instructions*: the number of executed instructions. The tool callgrind counts them, with the garbage collector off.
* *CPU time*: the CPU time of the process, with the garbage collector on. As in a server, each run of an operation gets
  newly decoded objects. The CPU time includes waiting for memory, which the number of instructions does not show. So
  most ratios of CPU time are smaller than the ratio of instructions.
* *Bytes*: the allocated memory.

In the tables, a dash means that the cost was not measured.

An operation reads plain data, unless its name contains "Go struct". Some operations use apimachinery's field manager,
which also decodes and encodes managed fields, and gets a Go struct. All other operations call the engine directly.

In this table, each row shows the mean ratios of one operation over several objects. The number in brackets is the smallest
ratio of a single object. The means are geometric means. The objects have types of Kubernetes
1.37, or are custom resources. The second column has the name of the benchmark.

`)
	groups, all := Means(rows), newGroup("all")
	for _, r := range rows {
		all.add(r)
	}
	table := [][]string{{"operation", "benchmark", "number of objects", headInstructions + ", mean (smallest)", headCPU + ", mean (smallest)", headBytes + ", mean (smallest)"}}
	for _, g := range append(groups, all) {
		row := []string{describe(operations, g.Name), "`" + g.Name + "`", fmt.Sprint(len(g.Rows))}
		if g.Name == all.Name {
			row = []string{"all operations", "", fmt.Sprint(len(g.Rows))}
		}
		for _, unit := range []string{Instructions, CPU, Bytes} {
			row = append(row, meanAndLeast(g.Mean(unit), g.Least(unit)))
		}
		table = append(table, row)
	}
	if err := write(w, table, true); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n## Operations below the promised minimum\n\nDovetail makes two promises for each operation: structured-merge-diff needs at least %.1f times as much CPU time as\nDovetail, and Dovetail does not allocate more memory. The following operations do not keep one of these promises:\n\n", leastCPU)
	table = [][]string{{"operation", "object", headInstructions, headCPU, headBytes}}
	for _, r := range rows {
		if cpu, bytes := r.Ratio(CPU), r.Ratio(Bytes); cpu > 0 && cpu < leastCPU || bytes > 0 && bytes < leastBytes {
			table = append(table, append(r.cells(), times(r.Ratio(Instructions)), times(cpu), times(bytes)))
		}
	}
	if len(table) > 1 {
		if err := write(w, table, true); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(w, "There are none.")
	}
	fmt.Fprint(w, "\n## All operations\n\nEach row of this table shows one operation on one object. The last column shows the cost of one run with Dovetail: the\nCPU time, the allocated bytes, and the number of allocations.\n\n")
	table = [][]string{{"operation", "object", headInstructions, headCPU, headBytes, "cost of one run with Dovetail"}}
	counted := [][]string{{"operation", "object", headInstructions}}
	for _, r := range rows {
		if r.Ratio(CPU) == 0 {
			counted = append(counted, append(r.cells(), times(r.Ratio(Instructions))))
			continue
		}
		cost := strings.Join([]string{formatMeasured(r.Ours[CPU], spacedDuration), formatMeasured(r.Ours[Bytes], count) + " bytes", plural(r.Ours[Allocs], "allocation")}, ", ")
		table = append(table, append(r.cells(), times(r.Ratio(Instructions)), times(r.Ratio(CPU)), times(r.Ratio(Bytes)), cost))
	}
	if err := write(w, table, true); err != nil {
		return err
	}
	if len(counted) == 1 {
		return nil
	}
	fmt.Fprint(w, "\nFor these operations, we counted only the executed instructions:\n\n")
	return write(w, counted, true)
}

func meanAndLeast(mean, least float64) string {
	if mean == 0 {
		return "-"
	}
	return times(mean) + " (" + times(least) + ")"
}

// spacedDuration formats nanoseconds for a sentence, such as "1.25 µs".
func spacedDuration(ns float64) string {
	text := strings.Replace(duration(ns), "us", "µs", 1)
	i := strings.LastIndexAny(text, "0123456789") + 1
	return text[:i] + " " + text[i:]
}

func plural(n float64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return formatMeasured(n, count) + " " + noun
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
