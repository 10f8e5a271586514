// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"runtime"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/test/internal/cputime"
)

// BenchmarkFresh runs each operation on newly decoded inputs, as a server does. It does not
// measure the decoding. It prepares the inputs of many runs together, in batches that are
// larger than the caches of the processor. It measures the CPU time of the process. This time
// includes garbage collection, which scans the inputs of many runs, as in a server.
func BenchmarkFresh(b *testing.B) {
	for _, bm := range benchmarks() {
		b.Run(bm.name, func(b *testing.B) { measureFresh(b, bm) })
	}
}

// A batch has as many runs as possible, while the allocations for their inputs stay below a
// quarter of a gigabyte. The allocations are about ten times as large as the inputs.
const (
	batchBytes = 256 << 20
	leastBatch = 4
	mostBatch  = 2000
)

func measureFresh(b *testing.B, bm benchmark) {
	bm.prepare()()
	batch := batchOf(bm)
	var spent time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; left -= batch {
		b.StopTimer()
		runs := make([]func() result, min(batch, left))
		for i := range runs {
			runs[i] = bm.prepare()
		}
		runtime.GC()
		start, _ := cputime.Used()
		b.StartTimer()
		for _, run := range runs {
			sink = run()
		}
		b.StopTimer()
		end, _ := cputime.Used()
		spent += end - start
		b.StartTimer()
	}
	if spent > 0 {
		b.ReportMetric(float64(spent)/float64(b.N), "cpu-ns/op")
	}
}

func batchOf(bm benchmark) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run := bm.prepare()
	runtime.ReadMemStats(&after)
	sink = run()
	each := max(1, after.TotalAlloc-before.TotalAlloc)
	return int(min(max(batchBytes/each, leastBatch), mostBatch))
}
