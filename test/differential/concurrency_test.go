// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/differential/gen"
)

// TestConcurrency runs all operations in 16 goroutines at once, on the same schema, values and
// sets. The inputs are new, so nothing is cached. Each goroutine must get the same results as a
// single goroutine. With the race detector, the test also checks that no operation writes to
// its inputs.
func TestConcurrency(t *testing.T) {
	const goroutines = 16
	n := uint64(150)
	if testing.Short() {
		n /= 10
	}
	tried := 0
	for seed := range n {
		w := newSharingWorld(gen.Seeded(1000 + seed))
		if w == nil {
			continue
		}
		tried++
		inputs, want := w.inputs(), textsOf(w.run())
		shared := w.unused()
		start := make(chan struct{})
		got := make([][]string, goroutines)
		var all sync.WaitGroup
		for i := range got {
			all.Add(1)
			go func() {
				defer all.Done()
				<-start
				for range 2 {
					got[i] = textsOf(shared.run())
				}
			}()
		}
		close(start)
		all.Wait()
		for i := range got {
			for k := range want {
				if got[i][k] != want[k] {
					t.Fatalf("seed %d: operation %d returns\n%s\nand in a single goroutine\n%s", seed, k, got[i][k], want[k])
				}
			}
		}
		for i, in := range shared.inputs() {
			if in != inputs[i] {
				t.Fatalf("seed %d: an input changed\nfrom %s\nto   %s", seed, inputs[i], in)
			}
		}
	}
	if tried < int(n)/2 {
		t.Errorf("only %d inputs were valid: too little was tested", tried)
	}
}
