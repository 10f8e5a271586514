// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import "slices"

// benchmark measures one operation on one workload.
type benchmark struct {
	name    string
	prepare func() func() result
}

func benchmarks() []benchmark {
	var all []benchmark
	for _, w := range workloads() {
		for _, op := range slices.Concat(operations, setOperations, structOperations) {
			if op.structs && w.newStruct == nil {
				continue
			}
			all = append(all, benchmark{op.name + "/" + w.Name, func() func() result { return op.prepare(w) }})
		}
		for _, op := range manyOperations[w.Name] {
			all = append(all, benchmark{op.name + "/" + w.Name, func() func() result { return op.prepare(w) }})
		}
		for _, r := range w.Requests() {
			all = append(all, benchmark{r.Name + "/" + w.Name, r.prepare})
		}
	}
	return all
}
