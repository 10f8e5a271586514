// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/test/internal/cputime"
)

var sink result

// BenchmarkSSA runs every operation on every workload. It reports the CPU time of the process,
// including garbage collection, if the system provides this time. On a busy machine, use the
// CPU time.
func BenchmarkSSA(b *testing.B) {
	for _, bm := range benchmarks() {
		b.Run(bm.name, func(b *testing.B) { measure(b, bm) })
	}
}

// measure returns the CPU time of one run, or the elapsed time if the CPU time is unknown.
func measure(b *testing.B, bm benchmark) time.Duration {
	run := bm.prepare()
	run()
	runtime.GC()
	b.ReportAllocs()
	start, ok := cputime.Used()
	for b.Loop() {
		sink = run()
	}
	if end, _ := cputime.Used(); ok {
		b.ReportMetric(float64(end-start)/float64(b.N), "cpu-ns/op")
		return (end - start) / time.Duration(b.N)
	}
	return b.Elapsed() / time.Duration(b.N)
}

// TestResults prints a digest of the result of each operation. It runs each operation twice on
// the same inputs. It fails if the results differ. A difference means that a run modified its
// inputs, so measurements with these inputs would be wrong.
func TestResults(t *testing.T) {
	for _, bm := range benchmarks() {
		run := bm.prepare()
		first := digest(run())
		if second := digest(run()); first != second {
			t.Errorf("%s: the second run returns %s, but the first run returned %s", bm.name, second, first)
		}
		t.Logf("result %s %s", bm.name, first)
	}
}

// TestWorkloads prints the sizes of the objects.
func TestWorkloads(t *testing.T) {
	for _, w := range workloads() {
		set := fieldSet(w, w.Live)
		t.Logf("%-18s applied %6d B, live %6d B, %4d paths; managed fields %7d B (2 managers), %7d B (20)", w.Name,
			size(w.Config), size(w.Live), set.Size(), size(w.managedFields(2)), size(w.managedFields(20)))
	}
}

func size(v any) int {
	text, err := json.Marshal(v)
	must(err)
	return len(text)
}
