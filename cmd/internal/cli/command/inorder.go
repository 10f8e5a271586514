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

// maxWorkers is the maximum number of goroutines. maxWaiting is the maximum number of results
// per goroutine that wait for earlier results. maxHeld is the maximum number of input bytes of
// all running and waiting elements. A larger element runs alone.
const (
	maxWorkers = 8
	maxWaiting = 16
	maxHeld    = 16 << 20
)

// Turn runs the part of some work that depends on the order of a sequence.
type Turn struct {
	before <-chan struct{}
	done   chan struct{}
	taken  bool
}

// Take calls do after all earlier elements have taken their turns or have ended.
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

// job is the work on one element of a sequence.
type job[T, U any] struct {
	of     T
	size   int64
	turn   Turn
	result chan U
	// panicked is the value of a panic, or nil if there was none. It is set before result is closed.
	panicked any
}

// InOrder calls work for each element of row, in as many goroutines as there are processors, and
// yields the results in the order of row. So the output of a command does not depend on the number of
// processors. size returns the number of bytes that an element holds in memory.
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
		var read any // a panic while the row was read
		running.Go(func() {
			defer close(jobs)
			defer close(waiting)
			defer func() { read = recovered(recover()) }()
			before := make(chan struct{})
			close(before)
			for v := range row {
				j := &job[T, U]{of: v, size: size(v), turn: Turn{before: before, done: make(chan struct{})}, result: make(chan U, 1)}
				before = j.turn.done
				if !held.take(j.size) {
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
			held.give(j.size)
		}
		if read != nil {
			panic(read)
		}
	}
}

func (j *job[T, U]) do(work func(*Turn, T) U) {
	defer close(j.result)
	defer func() {
		j.panicked = recovered(recover())
		if !j.turn.taken { // later elements wait for it
			close(j.turn.done)
		}
	}()
	result := work(&j.turn, j.of)
	j.turn.Take(func() {})
	j.result <- result
}

// recovered returns a recovered panic with its stack, or nil if there was none.
func recovered(p any) any {
	if p == nil {
		return nil
	}
	return fmt.Sprintf("%v\n%s", p, debug.Stack())
}

// budget limits the bytes that are held in memory.
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

// take waits until n more bytes are within the limit, or until no other bytes are held. It
// returns false if the budget is closed.
func (b *budget) take(n int64) bool {
	b.Lock()
	defer b.Unlock()
	for b.held > 0 && b.held+n > b.most && !b.closed {
		b.changed.Wait()
	}
	b.held += n
	return !b.closed
}

func (b *budget) give(n int64) {
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
