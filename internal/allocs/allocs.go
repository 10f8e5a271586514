// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package allocs counts for tests what a function allocates.
package allocs

import "testing"

// Least returns the fewest allocations a call of f makes, of some calls after a
// first one. Memory that is kept in a [sync.Pool] can be gone whenever it is asked
// for: the collector empties pools, and the race detector does so at random, one time
// in four. A call that then has to make it anew says nothing about f; a call that
// allocates nothing else shows that f need not.
//
// It is not for parallel tests, as testing.AllocsPerRun is not.
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

// calls are so many that pools are not empty in all of them: where three are asked,
// that has a chance of less than one in 10^20.
const calls = 100
