// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestAllocations prints the number of allocations of each operation: the smallest number of
// several runs. It turns garbage collection off, because a collection empties pools. So the
// numbers depend only on the code and on the Go version. Without -v it runs only every
// twentieth operation.
func TestAllocations(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for i, bm := range benchmarks() {
		if !testing.Verbose() && i%20 > 0 {
			continue
		}
		run := bm.prepare()
		least := math.MaxFloat64
		for range 5 {
			least = min(least, testing.AllocsPerRun(2, func() { sink = run() }))
		}
		t.Logf("allocations %s %.0f", bm.name, least)
		debug.FreeOSMemory()
	}
}
