// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

// Program is one operation on one workload. Commands use it to measure the operation without
// Go's benchmark framework.
type Program struct {
	Name string
	// Prepare creates the inputs and returns the function to measure.
	Prepare func() func()
}

// last prevents the compiler from removing unused results.
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
