// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package box

import (
	"sync/atomic"
	"unsafe"
	"weak"
)

// Weak is a weak.Pointer that is safe for concurrent use. The zero Weak refers to nothing.
//
// Every typed value has a Weak, so a Weak must be small. It has the size of one pointer. A weak.Pointer
// with a mutex would be larger. Instead, Weak relies on the memory layout of weak.Pointer: a
// single pointer, which Weak loads and swaps atomically. TestWeakIsAPointer checks the layout.
type Weak[T any] struct{ handle unsafe.Pointer }

// Load returns the value that w refers to. It returns nil if w refers to nothing, or if the
// garbage collector has freed the value.
func (w *Weak[T]) Load() *T { return referent[T](atomic.LoadPointer(&w.handle)) }

// LoadOrNew returns the value that w refers to. If there is none, LoadOrNew allocates a new
// value, makes w refer to it, and returns it. Callers must hold a reference to the value as
// long as they need it, because w does not keep it in memory.
func (w *Weak[T]) LoadOrNew() *T {
	for {
		old := atomic.LoadPointer(&w.handle)
		if p := referent[T](old); p != nil {
			return p
		}
		p := new(T)
		made := weak.Make(p)
		if atomic.CompareAndSwapPointer(&w.handle, old, *(*unsafe.Pointer)(unsafe.Pointer(&made))) {
			return p
		}
	}
}

func referent[T any](handle unsafe.Pointer) *T {
	return (*(*weak.Pointer[T])(unsafe.Pointer(&handle))).Value()
}
