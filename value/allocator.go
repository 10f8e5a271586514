// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

// Allocator once chose where short-lived values came from. Functions and
// methods whose names end in Using still take one and ignore it.
//
// Deprecated: call the function or method without Using.
type Allocator interface {
	// Free does nothing.
	Free(any)

	allocator()
}

// HeapAllocator is an allocator.
//
// Deprecated: see [Allocator].
var HeapAllocator = &heapAllocator{}

type heapAllocator struct{}

func (*heapAllocator) Free(any)   {}
func (*heapAllocator) allocator() {}

// NewFreelistAllocator returns an allocator.
//
// Deprecated: see [Allocator].
func NewFreelistAllocator() Allocator {
	return HeapAllocator
}
