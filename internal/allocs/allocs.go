// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package allocs counts how many allocations a function makes, for tests.
package allocs

import "testing"

// Least calls f many times and returns the smallest number of allocations in a single call.
//
// A function that uses a [sync.Pool] does not always allocate the same amount: the garbage
// collector empties pools, and the race detector discards one in four entries at random. The
// call with the fewest allocations shows how many f really needs. Before each measured call,
// Least calls f once without counting, to fill the pools.
//
// Like testing.AllocsPerRun, Least cannot run in parallel tests.
func Least(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for range calls - 1 {
		if least == 0 {
			break
		}
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

// calls is the number of measured calls. It is large enough to find a call in which no pool was
// empty. If f takes three entries from pools, the probability that no such call exists is below
// 10^-20.
const calls = 100
