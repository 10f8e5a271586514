// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

// Program is one operation on one workload, for commands that measure in other
// ways than Go's benchmarks do.
type Program struct {
	Name string
	// Prepare makes the inputs and returns what is to be measured.
	Prepare func() func()
}

// last keeps results from being optimized away.
var last result

// Programs returns all operations on all workloads, and those of group m on
// objects of the given sizes.
func Programs(sizes []int) []Program {
	all := benchmarks()
	for _, series := range scaleSeries(sizes) {
		all = append(all, series...)
	}
	out := make([]Program, len(all))
	for i, bm := range all {
		out[i] = Program{bm.name, func() func() {
			run := bm.prepare()
			return func() { last = run() }
		}}
	}
	return out
}
