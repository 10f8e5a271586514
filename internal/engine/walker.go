// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// walker is the memory of one operation: slabs that its results are cut from,
// and scratch space that is handed on to the next operation.
type walker struct {
	memory

	draft draft

	members  stack[fieldpath.PathElement]
	children stack[fieldpath.SetNode]
	entries  stack[entry]
	changes  stack[change]
	ints     stack[int32]
	keys     stack[any]
	ranks    stack[ranked]

	transition transition
	equality   equality
}

// memory is what results are cut from.
type memory struct {
	values slab[value.Value]
	lists  slab[value.FieldList]
	fields slab[value.Field]
	names  slab[string]
	batch  value.Batch

	elements slab[fieldpath.PathElement]
	nodes    slab[fieldpath.SetNode]
	sets     slab[fieldpath.Set]
}

// entry is one field of a map or one item of a list that is being put in order.
type entry struct {
	pe   fieldpath.PathElement
	name string      // of an undeclared field, until pe has it
	t    *graph.Node // of a field
	v    any
	at   int32 // index of an item, or rank of a field, -1 if that is not declared

	member, child bool // what of it is in the set
	again         bool // whether it shares the element of the item before
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

func newWalker() *walker { return walkers.Get().(*walker) }

// done ends the operation. The memory stays with its results.
func (w *walker) done() {
	w.memory = memory{}
	w.draft.scrub()
	w.members.scrub()
	w.children.scrub()
	w.entries.scrub()
	w.changes.scrub()
	w.ints.scrub()
	w.keys.scrub()
	w.ranks.scrub()
	walkers.Put(w)
}

// stack is scratch space that grows and shrinks with the walk.
type stack[T any] struct {
	s    []T
	high int // the largest length popped, so that scrub clears no more than was used
}

// maxScratch is how many elements of scratch space one stack keeps.
const maxScratch = 1 << 14

func (k *stack[T]) len() int { return len(k.s) }
func (k *stack[T]) push(v T) { k.s = append(k.s, v) }

// room makes room for n elements that are about to be pushed.
func (k *stack[T]) room(n int) { k.s = slices.Grow(k.s, n) }

// more pushes n elements, which are yet to be written, and returns them.
func (k *stack[T]) more(n int) []T {
	k.s = slices.Grow(k.s, n)[:len(k.s)+n]
	return k.s[len(k.s)-n:]
}

func (k *stack[T]) pop(mark int) {
	k.high = max(k.high, len(k.s))
	k.s = k.s[:mark]
}

// drop takes away the first n elements.
func (k *stack[T]) drop(n int) { k.pop(copy(k.s, k.s[n:])) }

// scrub empties k for the next operation without keeping its contents alive.
func (k *stack[T]) scrub() {
	if len(k.s)|k.high != 0 {
		k.wipe()
	}
}

func (k *stack[T]) wipe() {
	k.pop(0)
	if cap(k.s) > maxScratch {
		*k = stack[T]{}
		return
	}
	clear(k.s[:k.high])
	k.high = 0
}

// slab hands out pieces of larger allocations.
type slab[T any] struct {
	free []T
	size int // of the allocation that free is of
}

// take returns n zero elements that share no capacity with others.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.size = min(max(2*s.size, 4), 64)
		s.free = make([]T, max(s.size, n))
	}
	piece := s.free[:n:n]
	s.free = s.free[n:]
	return piece
}

func (s *slab[T]) one() *T { return &s.take(1)[0] }

// room makes room for n elements that are about to be taken one by one.
func (s *slab[T]) room(n int) {
	if n > len(s.free) {
		s.size = max(n, min(2*s.size, 64))
		s.free = make([]T, s.size)
	}
}

// set returns the set of the members and children gathered since the marks,
// nil if there are none, and drops them.
func (w *walker) set(members, children int) *fieldpath.Set {
	m, c := w.members.s[members:], w.children.s[children:]
	if len(m) == 0 && len(c) == 0 {
		return nil
	}
	var ms []fieldpath.PathElement
	if len(m) > 0 {
		ms = w.elements.take(len(m))
		copy(ms, m)
	}
	var cs []fieldpath.SetNode
	if len(c) > 0 {
		cs = w.nodes.take(len(c))
		copy(cs, c)
	}
	w.members.pop(members)
	w.children.pop(children)
	s := w.sets.one()
	*s = *fieldpath.FromSorted(ms, cs)
	return s
}

// scratch returns n zero ints, to be given back by popping ints to the mark
// that was taken before.
func (w *walker) scratch(n int) []int32 {
	mark := w.ints.len()
	if cap(w.ints.s)-mark < n {
		grown := make([]int32, mark, 2*(mark+n))
		copy(grown, w.ints.s)
		w.ints.s = grown
	}
	w.ints.s = w.ints.s[:mark+n]
	s := w.ints.s[mark : mark+n : mark+n]
	clear(s)
	return s
}

// orEmpty returns s, or a new empty set for nil.
func orEmpty(s *fieldpath.Set) *fieldpath.Set {
	if s == nil {
		return fieldpath.NewSet()
	}
	return s
}
