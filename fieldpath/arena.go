// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// arena allocates memory for the result of one operation. The memory belongs to the result: no
// later operation uses it.
type arena struct {
	sets     scratch.Slab[Set]
	elements scratch.Slab[PathElement]
	nodes    scratch.Slab[SetNode]
	keys     scratch.Slab[value.FieldList]
	fields   scratch.Slab[value.Field]
	left     *Set // the last set with paths that subtract returned, or nil (see containsLeft)
}

// newTightArena returns an arena that allocates no spare memory. It is for results that stay
// in memory for a long time.
func newTightArena() (a arena) {
	a.sets.Tight, a.elements.Tight, a.nodes.Tight = true, true, true
	return a
}

// set returns a new Set with the given members and children. It may share the slices (see own).
func (a *arena) set(members []PathElement, nodes []SetNode) *Set {
	s := a.sets.One()
	s.Members.members = own(&a.elements, members)
	s.Children.members = own(&a.nodes, nodes)
	return s
}

// setLike returns a Set with the given slices. If s already has exactly these slices, it returns s
// itself.
func (a *arena) setLike(s *Set, members []PathElement, nodes []SetNode) *Set {
	if box.SameList(members, s.Members.members) && box.SameList(nodes, s.Children.members) {
		return s
	}
	return a.set(members, nodes)
}

// own returns a slice with the elements of s that is safe to use in a result. If s has no spare
// capacity, own returns s itself, because a later insertion into s allocates a new slice. If s has
// spare capacity, own copies it, because an insertion could move elements of the result. For an
// empty s, own returns nil, because callers compare sets with reflect.DeepEqual, which
// distinguishes nil from empty.
func own[T any](from *scratch.Slab[T], s []T) []T {
	if len(s) == 0 {
		return nil
	}
	if len(s) == cap(s) {
		return s
	}
	return fresh(from, s)
}

// fresh returns a copy of s in memory that it takes from the slab.
func fresh[T any](from *scratch.Slab[T], s []T) []T {
	out := from.Take(len(s))
	copy(out, s)
	return out
}

// part returns s[low:high]. If s has no spare capacity, the result has none either. So the function
// own copies the result only if it would also copy s.
func part[T any](s []T, low, high int) []T {
	if len(s) == cap(s) {
		return s[low:high:high]
	}
	return s[low:high]
}

// capped returns s without spare capacity. It returns nil if s is empty.
func capped[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s[:len(s):len(s)]
}

// key returns a pointer to a copy of fields. The copied list is never nil.
func (a *arena) key(fields []value.Field) *value.FieldList {
	list := a.keys.One()
	if *list = fresh(&a.fields, fields); *list == nil {
		*list = value.FieldList{}
	}
	return list
}

// expect reserves memory for a deep copy of s.
func (a *arena) expect(s *Set) {
	a.sets.Expect(1)
	a.elements.Expect(len(s.Members.members))
	a.nodes.Expect(len(s.Children.members))
	for i := range s.Children.members {
		a.expect(s.Children.members[i].Set)
	}
}

func (a *arena) copySet(s *Set) *Set {
	out := a.sets.One()
	out.Members.members = fresh(&a.elements, s.Members.members) // the copy shares names, keys and values, which never change
	out.Children.members = a.copyNodes(s.Children.members)
	return out
}

func (a *arena) copyNodes(in []SetNode) []SetNode {
	out := fresh(&a.nodes, in)
	for i := range out {
		out[i].Set = a.copySet(out[i].Set)
	}
	return out
}

// A span is a range of elements in one of the two operands, x and y, of a set operation. An
// operation first records the spans that it keeps, and then copies their elements into a slice of
// the right size. Most operations keep nearly everything or nearly nothing, so they need few spans.
type span struct {
	low, high int32
	fromY     bool
}

// spanRoom is the number of spans that an operation can record without allocating.
const spanRoom = 16

// addSpan appends the span low:high to list. fromY is true for a span of the operand y. Spans
// must be added in ascending order. If the new span directly follows the last one, addSpan
// extends the last one instead.
func addSpan(list []span, low, high int, fromY bool) []span {
	if low == high {
		return list
	}
	if n := len(list); n > 0 {
		if last := &list[n-1]; last.fromY == fromY && int(last.high) == low {
			last.high = int32(high)
			return list
		}
	}
	if len(list) == cap(list) {
		list = slices.Grow(list, 7*len(list))
	}
	return append(list, span{int32(low), int32(high), fromY})
}

// pick returns the elements of x that are in the spans of list. If list has a single span, the
// result is a subslice of x.
func (a *arena) pick(list []span, x []PathElement) []PathElement {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return part(x, int(list[0].low), int(list[0].high))
	}
	return a.gather(list, x, nil)
}

// gather returns a new slice with the elements of x and y that are in the spans of list.
func (a *arena) gather(list []span, x, y []PathElement) []PathElement {
	count := 0
	for _, sp := range list {
		count += int(sp.high - sp.low)
	}
	out := a.elements.Take(count)
	rest := out
	for _, sp := range list {
		from := x
		if sp.fromY {
			from = y
		}
		rest = rest[copy(rest, from[sp.low:sp.high]):]
	}
	return out
}

// nodePicker builds a list of children by selecting from an existing list, in order. It does not
// allocate memory as long as the result is a subslice of the existing list.
type nodePicker struct {
	from      []SetNode
	low, high int       // the result is from[low:high] as long as out is nil
	out       []SetNode // the result, if it is not a subslice of from
}

// put appends child i of the existing list, with the given set instead of its own. If the given set
// is nil, put appends nothing. The argument more is the maximum number of children that may be
// appended afterwards.
func (p *nodePicker) put(a *arena, i int, set *Set, more int) {
	switch {
	case set == nil:
	case set == p.from[i].Set:
		p.keep(a, i, i+1, more)
	default:
		p.open(a, 1+more)
		p.out = append(p.out, SetNode{PathElement: p.from[i].PathElement, Set: set})
	}
}

// keep appends the children low:high of the existing list unchanged. The argument more is the
// maximum number of children that may be appended afterwards.
func (p *nodePicker) keep(a *arena, low, high, more int) {
	switch {
	case low == high:
	case p.out == nil && p.low == p.high:
		p.low, p.high = low, high
	case p.out == nil && p.high == low:
		p.high = high
	default:
		p.open(a, high-low+more)
		p.out = append(p.out, p.from[low:high]...)
	}
}

// open moves the result into its own slice, with room for more children. It does nothing if the
// result already has its own slice.
func (p *nodePicker) open(a *arena, more int) {
	if p.out == nil {
		p.out = append(a.nodes.Take(p.high - p.low + more)[:0], p.from[p.low:p.high]...)
	}
}

func (p *nodePicker) result() []SetNode {
	if p.out == nil {
		return part(p.from, p.low, p.high)
	}
	return capped(p.out)
}
