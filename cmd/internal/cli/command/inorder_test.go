// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// row returns a sequence of the numbers from 0 to n-1.
func row(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func noSize(int) int64 { return 0 }

// Results and turns follow the order of the row, even if some work takes longer.
func TestInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var turns []int
	var got []int
	for v := range InOrder(row(500), noSize, func(turn *Turn, i int) int {
		time.Sleep(time.Duration(i*7919%5) * 100 * time.Microsecond)
		if i%3 > 0 { // the other elements take no turn
			turn.Take(func() { turns = append(turns, i) })
		}
		return i * i
	}) {
		got = append(got, v)
	}
	for i, v := range got {
		if v != i*i {
			t.Fatalf("at %d there is %d", i, v)
		}
	}
	if len(got) != 500 || !slices.IsSorted(turns) || len(turns) != 333 {
		t.Errorf("got %d results and %d turns: %v", len(got), len(turns), turns)
	}
}

// The elements in progress stay below the size limit. An element above the limit runs alone.
func TestInOrderHoldsLittle(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var held, most atomic.Int64
	n := 0
	for v := range InOrder(row(60), func(i int) int64 {
		if i%10 == 9 {
			return 2 * maxHeld
		}
		return maxHeld / 4
	}, func(_ *Turn, i int) int {
		if n := held.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(time.Millisecond)
		if i%10 == 9 && held.Load() != 1 {
			t.Errorf("%d is one of %d", i, held.Load())
		}
		held.Add(-1)
		return i
	}) {
		n += v
	}
	if n != 60*59/2 || most.Load() > 4 || most.Load() < 2 {
		t.Errorf("got the sum %d, with at most %d at once", n, most.Load())
	}
}

func TestInOrderEndsEarly(t *testing.T) {
	before := runtime.NumGoroutine()
	var done atomic.Int64
	for v := range InOrder(row(1_000_000), func(int) int64 { return 1 << 20 }, func(_ *Turn, i int) int { done.Add(1); return i }) {
		if v == 20 {
			break
		}
	}
	if n := done.Load(); n > 1000 || runtime.NumGoroutine() > before {
		t.Errorf("%d were done, %d goroutines are left", n, runtime.NumGoroutine()-before)
	}
}

// A panic in the work ends the loop, even while other work waits for its turn.
func TestInOrderPanics(t *testing.T) {
	for _, where := range []string{"work", "turn", "row"} {
		func() {
			n := 0
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "no\n") || n != 10 {
					t.Errorf("%s: %.20q after %d", where, p, n)
				}
			}()
			for range InOrder(func(yield func(int) bool) {
				for i := range 100 {
					if i == 10 && where == "row" {
						panic("no")
					}
					if !yield(i) {
						return
					}
				}
			}, noSize, func(turn *Turn, i int) int {
				if i == 10 && where == "work" {
					panic("no")
				}
				turn.Take(func() {
					if i == 10 && where == "turn" {
						panic("no")
					}
				})
				return i
			}) {
				n++
			}
		}()
	}
}
