// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// spread returns the largest CPU time of each benchmark divided by the smallest, sorted. It also
// returns the smallest number of runs of a benchmark.
func (r *Results) spread() (spreads []float64, runs int) {
	for _, name := range r.Names {
		s := r.samples[name][CPU]
		if len(s) == 0 || slices.Min(s) <= 0 {
			continue
		}
		if runs == 0 || len(s) < runs {
			runs = len(s)
		}
		spreads = append(spreads, slices.Max(s)/slices.Min(s))
	}
	slices.Sort(spreads)
	return spreads, runs
}

// WriteRun writes a section about the run: the machine, and how much the CPU times of the same
// benchmark differ. If the measurements contain no CPU times, it writes nothing.
func WriteRun(w io.Writer, upstream, ours *Results) error {
	theirs, runs := upstream.spread()
	own, ownRuns := ours.spread()
	if len(theirs) == 0 || len(own) == 0 {
		return nil
	}
	property := func(key string) string { return cmp.Or(ours.machine[key], "not recorded") }
	fmt.Fprint(w, "## The recorded run\n\nThis table shows the machine on which the CPU times were measured:\n\n")
	if err := write(w, [][]string{
		{"property", "value"},
		{"operating system and architecture", property("goos") + "/" + property("goarch")},
		{"CPU", property("cpu")},
		{"processors that Go uses", property("procs")},
		{"version of Go", property("go")},
		{"date", property("date")},
		{"runs of each benchmark", fmt.Sprint(min(runs, ownRuns))},
	}, true); err != nil {
		return err
	}
	fmt.Fprint(w, `
The tables of this page contain the smallest CPU time of all runs, because other programs on the machine only increase
the time. The next table shows the spread: the largest CPU time of a benchmark divided by its smallest. If the spread of
both engines is 1.5, a ratio from single runs can be between two thirds of the ratio on this page and one and a half
times this ratio.

`)
	at := func(s []float64, percent int) string { return times(s[min(len(s)*percent/100, len(s)-1)]) }
	return write(w, [][]string{
		{"engine", "spread of half of the benchmarks, at most", "spread of 90 % of the benchmarks, at most", "largest spread"},
		{"structured-merge-diff", at(theirs, 50), at(theirs, 90), times(theirs[len(theirs)-1])},
		{"Dovetail", at(own, 50), at(own, 90), times(own[len(own)-1])},
	}, true)
}
