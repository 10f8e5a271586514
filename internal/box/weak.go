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
// It needs only the memory of one pointer, because every typed value has a Weak. A mutex with a
// weak.Pointer would need more. In memory, a weak.Pointer is a single pointer to a handle,
// which the garbage collector clears (TestWeakIsAPointer). So Weak can load and swap this
// pointer atomically.
type Weak[T any] struct{ handle unsafe.Pointer }

// Load returns the referent, or nil if there is none or the garbage collector has freed it.
func (w *Weak[T]) Load() *T { return referent[T](atomic.LoadPointer(&w.handle)) }

// LoadOrNew returns the referent. If there is none, it allocates one and refers to it. The
// referent stays in memory as long as a caller uses the result.
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
