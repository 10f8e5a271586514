// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"sync"
)

// These limits apply to InOrder. It runs at most maxWorkers goroutines. For each goroutine, at most
// maxWaiting finished results may wait for an earlier result. The elements that are being processed
// or are waiting have a total size of at most maxHeld bytes. A larger element is processed alone.
const (
	maxWorkers = 8
	maxWaiting = 16
	maxHeld    = 16 << 20
)

// Turn makes the processing of an element wait for its turn. Although InOrder processes elements
// concurrently, functions that are passed to Take are called in the order of the elements.
type Turn struct {
	before <-chan struct{}
	done   chan struct{}
	taken  bool
}

// Take waits until each earlier element has taken its turn or has ended. It then calls do.
func (t *Turn) Take(do func()) {
	if t.taken {
		do()
		return
	}
	<-t.before
	defer close(t.done)
	t.taken = true
	do()
}

// job is the processing of one element.
type job[T, U any] struct {
	of     T
	size   int64
	turn   Turn
	result chan U
	// panicked is the value of a panic in work, or nil. It is set before result is closed.
	panicked any
}

// InOrder calls work for the elements of row, several at a time. It yields the results in the
// order of row, so the output does not depend on the number of processors. The function size
// returns how many bytes of memory the processing of an element needs.
func InOrder[T, U any](row iter.Seq[T], size func(T) int64, work func(*Turn, T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		workers := min(runtime.GOMAXPROCS(0), maxWorkers)
		jobs, waiting := make(chan *job[T, U]), make(chan *job[T, U], workers*maxWaiting)
		held := newBudget(maxHeld)
		stop := make(chan struct{})
		var running sync.WaitGroup
		defer running.Wait()
		defer held.close()
		defer close(stop)
		for range workers {
			running.Go(func() {
				for j := range jobs {
					j.do(work)
				}
			})
		}
		var read any // the value of a panic in row
		running.Go(func() {
			defer close(jobs)
			defer close(waiting)
			defer func() { read = panicText(recover()) }()
			before := make(chan struct{})
			close(before)
			for v := range row {
				j := &job[T, U]{of: v, size: size(v), turn: Turn{before: before, done: make(chan struct{})}, result: make(chan U, 1)}
				before = j.turn.done
				if !held.reserve(j.size) {
					return
				}
				select {
				case waiting <- j:
				case <-stop:
					return
				}
				select {
				case jobs <- j:
				case <-stop:
					close(j.result)
					return
				}
			}
		})
		for j := range waiting {
			result, ok := <-j.result
			if !ok {
				panic(j.panicked)
			}
			if !yield(result) {
				return
			}
			held.release(j.size)
		}
		if read != nil {
			panic(read)
		}
	}
}

func (j *job[T, U]) do(work func(*Turn, T) U) {
	defer close(j.result)
	defer func() {
		j.panicked = panicText(recover())
		if !j.turn.taken { // later elements wait for this turn
			close(j.turn.done)
		}
	}()
	result := work(&j.turn, j.of)
	j.turn.Take(func() {})
	j.result <- result
}

// panicText returns text for a recovered panic: its value and the stack. If p is nil, there
// was no panic, and panicText returns nil.
func panicText(p any) any {
	if p == nil {
		return nil
	}
	return fmt.Sprintf("%v\n%s", p, debug.Stack())
}

// budget limits the number of bytes in use.
type budget struct {
	sync.Mutex
	changed    sync.Cond
	held, most int64
	closed     bool
}

func newBudget(most int64) *budget {
	b := &budget{most: most}
	b.changed.L = &b.Mutex
	return b
}

// reserve reserves n bytes. It first waits until they fit into the limit. A request that exceeds
// the whole limit waits until no bytes are in use. reserve returns false if the budget is closed.
func (b *budget) reserve(n int64) bool {
	b.Lock()
	defer b.Unlock()
	for b.held > 0 && b.held+n > b.most && !b.closed {
		b.changed.Wait()
	}
	b.held += n
	return !b.closed
}

func (b *budget) release(n int64) {
	b.Lock()
	defer b.Unlock()
	b.held -= n
	b.changed.Broadcast()
}

func (b *budget) close() {
	b.Lock()
	defer b.Unlock()
	b.closed = true
	b.changed.Broadcast()
}
