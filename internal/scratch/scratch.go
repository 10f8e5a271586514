// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package scratch provides memory that successive operations reuse.
package scratch

import "slices"

// Stack is a stack of elements that an operation uses as scratch space. Its memory is reused by
// later operations.
type Stack[T any] struct {
	S    []T
	high int // the largest length so far; Scrub clears the memory up to it
}

// MaxKept is the maximum capacity, in elements, that a stack keeps for reuse.
const MaxKept = 1 << 14

func (k *Stack[T]) Len() int { return len(k.S) }
func (k *Stack[T]) Push(v T) { k.S = append(k.S, v) }

// Room reserves space for n elements that the caller will push.
func (k *Stack[T]) Room(n int) { k.S = slices.Grow(k.S, n) }

// More pushes n elements and returns them. The caller must set them.
func (k *Stack[T]) More(n int) []T {
	k.S = slices.Grow(k.S, n)[:len(k.S)+n]
	return k.S[len(k.S)-n:]
}

func (k *Stack[T]) Pop(mark int) {
	k.high = max(k.high, len(k.S))
	k.S = k.S[:mark]
}

// Drop removes the first n elements.
func (k *Stack[T]) Drop(n int) { k.Pop(copy(k.S, k.S[n:])) }

// Scrub empties k for the next operation. It clears the memory, so that the garbage collector
// can free what the old elements referred to.
func (k *Stack[T]) Scrub() {
	if len(k.S)|k.high != 0 {
		k.wipe()
	}
}

func (k *Stack[T]) wipe() {
	k.Pop(0)
	if cap(k.S) > MaxKept {
		*k = Stack[T]{}
		return
	}
	clear(k.S[:k.high])
	k.high = 0
}

// Zeros pushes n zero elements and returns them. The caller must pop them.
func (k *Stack[T]) Zeros(n int) []T {
	s := k.More(n)
	clear(s)
	return s[:n:n]
}
