// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"runtime"
	"testing"
	"time"
)

// BenchmarkFresh runs each operation on inputs that are decoded for that run alone, as a
// server does; decoding is not counted. Inputs are made in batches that no cache of a
// processor holds. The time is that of the process, the collector's included, which finds
// in memory what a server in use has there: the objects of many requests.
func BenchmarkFresh(b *testing.B) {
	for _, bm := range benchmarks() {
		b.Run(bm.name, func(b *testing.B) { measureFresh(b, bm) })
	}
}

// A batch is as many runs as fit in a quarter of a gigabyte of what making their inputs
// allocates, which is some ten times what the inputs hold.
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
		start, _ := cpuTime()
		b.StartTimer()
		for _, run := range runs {
			sink = run()
		}
		b.StopTimer()
		end, _ := cpuTime()
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
