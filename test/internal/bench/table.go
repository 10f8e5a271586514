// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Table writes ratios of CPU time, bytes and allocations for each benchmark that both engines
// ran. A ratio is the cost of structured-merge-diff divided by the cost of Dovetail. Then
// Table writes geometric means: one for each operation, and one for all rows.
func Table(w io.Writer, upstream, ours *Results) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "cpu SMD\tcpu ours\tcpu ratio\tB SMD\tB ours\tB ratio\tallocs SMD\tallocs ours\tallocs ratio\t benchmark")
	var groups []string
	means := map[string]*mean{}
	all := &mean{}
	for _, name := range upstream.Names {
		if ours.samples[name] == nil {
			continue
		}
		cells := []float64{
			upstream.Time(name), ours.Time(name),
			upstream.Median(name, Bytes), ours.Median(name, Bytes),
			upstream.Median(name, Allocs), ours.Median(name, Allocs),
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.0f\t%.0f\t%s\t%.0f\t%.0f\t%s\t %s\n",
			duration(cells[0]), duration(cells[1]), ratio(cells[0], cells[1]),
			cells[2], cells[3], ratio(cells[2], cells[3]),
			cells[4], cells[5], ratio(cells[4], cells[5]), name)
		group := name[:max(strings.LastIndex(name, "/"), 0)]
		if means[group] == nil {
			means[group] = &mean{}
			groups = append(groups, group)
		}
		means[group].add(cells[0], cells[1])
		all.add(cells[0], cells[1])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "mean cpu ratio\tleast\t operation")
	for _, g := range groups {
		fmt.Fprintf(t, "%.2f\t%.2f\t %s\n", means[g].value(), means[g].least, g)
	}
	fmt.Fprintf(t, "%.2f\t%.2f\t all, %d benchmarks\n", all.value(), all.least, all.n)
	return t.Flush()
}

// ratio returns the ratio of two costs. If both are zero, the ratio is 1.
func ratio(upstream, ours float64) string {
	switch {
	case upstream == ours:
		return "1.00"
	case ours == 0:
		return "inf"
	}
	return fmt.Sprintf("%.2f", upstream/ours)
}

func duration(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.2fms", ns/1e6)
	case ns >= 1e3:
		return fmt.Sprintf("%.2fus", ns/1e3)
	}
	return fmt.Sprintf("%.0fns", ns)
}

// mean is a geometric mean of ratios.
type mean struct {
	logs  float64
	n     int
	least float64
}

func (m *mean) add(upstream, ours float64) {
	if upstream <= 0 || ours <= 0 {
		return
	}
	q := upstream / ours
	m.logs += math.Log(q)
	m.n++
	m.least = min(cmp.Or(m.least, q), q)
}

func (m *mean) value() float64 {
	if m.n == 0 {
		return 0
	}
	return math.Exp(m.logs / float64(m.n))
}
