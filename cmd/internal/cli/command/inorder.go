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

// maxWorkers bounds how many goroutines work at once, since each has an object in hand;
// maxWaiting how many results wait for those before them, for each worker, and maxHeld how
// many bytes of input all of these come from: what is larger is worked on alone.
const (
	maxWorkers = 8
	maxWaiting = 16
	maxHeld    = 16 << 20
)

// Turn lets work that depends on the order of a row be done in it.
type Turn struct {
	before <-chan struct{}
	done   chan struct{}
	taken  bool
}

// Take does what depends on order, once those before have taken their turns or have ended.
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

// job is one of a row in work.
type job[T, U any] struct {
	of     T
	size   int64
	turn   Turn
	result chan U
	// panicked is what a panic said, nil if there was none. It is set before result is closed.
	panicked any
}

// InOrder does work for each of a row, of which size tells how many bytes it holds, in as many
// goroutines as the machine has processors, and yields what comes of them in their order. So
// what a command prints does not depend on how many there are.
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
		if !j.turn.taken { // nobody waits for it in vain
			close(j.turn.done)
		}
	}()
	result := work(&j.turn, j.of)
	j.turn.Take(func() {})
	j.result <- result
}

// recovered is a panic of another goroutine, with where it was.
func recovered(p any) any {
	if p == nil {
		return nil
	}
	return fmt.Sprintf("%v\n%s", p, debug.Stack())
}

// budget is how many bytes are held.
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

// take waits until there is room for n bytes, or nothing else is held; false if all ends.
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
