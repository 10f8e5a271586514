// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

// A goroutine's stack is bounded, and running out of it can not be recovered
// from. Walks that have no error to return therefore continue on a new stack
// after this many levels, each of which takes well under a kilobyte.
const stackDepth = 50_000

// onNewStack returns what f returns, run on a stack of its own, and panics
// with what f panics with.
func onNewStack[T any](f func() T) T {
	var (
		result   T
		panicked any
		done     = make(chan struct{})
	)
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		result = f()
	}()
	<-done
	if panicked != nil {
		panic(panicked)
	}
	return result
}
