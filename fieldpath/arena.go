// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// arena is where one operation takes the parts of its result from. It is not
// kept: what was handed out belongs to the result alone.
type arena struct {
	sets     scratch.Slab[Set]
	elements scratch.Slab[PathElement]
	nodes    scratch.Slab[SetNode]
	keys     scratch.Slab[value.FieldList]
	fields   scratch.Slab[value.Field]
	left     *Set // what a subtraction left last, nil for nothing yet
}

// tight is an arena for results that may be kept for long.
func tight() (a arena) {
	a.sets.Tight, a.elements.Tight, a.nodes.Tight = true, true, true
	return a
}

// set returns a new Set of the given parts, taken over as own says.
func (a *arena) set(members []PathElement, nodes []SetNode) *Set {
	s := a.sets.One()
	s.Members.members = own(&a.elements, members)
	s.Children.members = own(&a.nodes, nodes)
	return s
}

// setLike is set, but returns s itself if these are its parts.
func (a *arena) setLike(s *Set, members []PathElement, nodes []SetNode) *Set {
	if box.SameList(members, s.Members.members) && box.SameList(nodes, s.Children.members) {
		return s
	}
	return a.set(members, nodes)
}

// own makes a slice fit to be part of a result. A slice without spare capacity
// is shared: whoever inserts into it reallocates. One with spare capacity is
// copied, because an insertion through its owner would shift it in place. An
// empty slice becomes nil: sets are compared with reflect.DeepEqual, which
// tells empty from nil.
func own[T any](from *scratch.Slab[T], s []T) []T {
	if len(s) == 0 {
		return nil
	}
	if len(s) == cap(s) {
		return s
	}
	return fresh(from, s)
}

// fresh returns a copy of s.
func fresh[T any](from *scratch.Slab[T], s []T) []T {
	out := from.Take(len(s))
	copy(out, s)
	return out
}

// part returns s[low:high] so that own shares it exactly when it may share s.
func part[T any](s []T, low, high int) []T {
	if len(s) == cap(s) {
		return s[low:high:high]
	}
	return s[low:high]
}

// capped drops spare capacity, and makes an empty slice nil.
func capped[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s[:len(s):len(s)]
}

// key returns a copy of a list of key fields, which is not nil when empty.
func (a *arena) key(fields []value.Field) *value.FieldList {
	list := a.keys.One()
	if *list = fresh(&a.fields, fields); *list == nil {
		*list = value.FieldList{}
	}
	return list
}

// expect tells the arena that s will be copied.
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
	out.Members.members = fresh(&a.elements, s.Members.members) // what an element points at does not change
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

// A span is x[low:high], or y[low:high] in a union of x and y. Operations note
// as spans what they keep of their operands, and copy it once its size is
// known. Most keep nearly everything or nearly nothing, so there are few.
type span struct {
	low, high int32
	fromY     bool
}

// spanRoom is how many spans an operation holds without allocating.
const spanRoom = 16

// addSpan appends x[low:high] to ascending spans.
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

// pick returns the elements of x in the spans: a part of x when they are in one
// piece, else a new slice.
func (a *arena) pick(list []span, x []PathElement) []PathElement {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return part(x, int(list[0].low), int(list[0].high))
	}
	return a.gather(list, x, nil)
}

// gather returns a new slice of the elements of x and y in the spans.
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

// nodePicker builds a list of children out of an existing one, in order. As
// long as what is kept is one unchanged piece of it, nothing is allocated.
type nodePicker struct {
	from      []SetNode
	low, high int       // from[low:high] is kept, while out is nil
	out       []SetNode // the result once it is no longer a piece of from
}

// put appends child i with another set, nil for none. At most more children follow.
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

// keep appends the children from low up to high as they are. At most more children
// follow.
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

// open makes out the result, with room for more children.
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
