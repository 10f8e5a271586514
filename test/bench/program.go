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

// Programs returns all operations on all workloads.
func Programs() []Program {
	all := benchmarks()
	out := make([]Program, len(all))
	for i, bm := range all {
		out[i] = Program{bm.name, func() func() {
			run := bm.prepare()
			return func() { last = run() }
		}}
	}
	return out
}
