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
// It is as large as a pointer, which a mutex and a weak.Pointer are not, and every typed
// value has one. A weak.Pointer is one pointer in memory, to a handle that the garbage
// collector clears (TestWeakIsAPointer), so that pointer can be loaded and swapped atomically.
type Weak[T any] struct{ handle unsafe.Pointer }

// Load returns the referent, or nil if there is none or the garbage collector has freed it.
func (w *Weak[T]) Load() *T { return referent[T](atomic.LoadPointer(&w.handle)) }

// LoadOrNew returns the referent. If there is none, it allocates one and refers to it.
// The referent lives as long as the caller, or somebody else, holds the result.
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
