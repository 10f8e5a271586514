// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Differences are the paths that only one of two values has and those whose
// leaves differ. No set is nil.
type Differences struct {
	Removed, Modified, Added *fieldpath.Set
}

// Compare returns how right differs from left, both values of type n, of which
// facts are known. If they are valid, what is equal is not walked. There are no
// differences, but nil, where something is wrong. untouched says, of a type with
// marks, that an update from left to right changes nothing that could break one: see
// CheckTransition.
func Compare(n *graph.Node, left, right any, facts Facts) (out *Differences, untouched bool, wrong diag.Findings) {
	return CompareMade(n, left, right, facts, nil, nil)
}

// Origin is what plain data was made of, where that tells more of leaves than they do.
type Origin interface {
	// Equal says whether two values are equal, of which right may be of another origin.
	Equal(left, right any, other Origin) bool
}

// CompareMade is Compare for plain data that was made of something else.
func CompareMade(n *graph.Node, left, right any, facts Facts, origin, other Origin) (out *Differences, untouched bool, wrong diag.Findings) {
	w := newWalker()
	c := newComparer(w, n, facts)
	c.origin, c.other = origin, other
	differs, wrong := c.both(n, left, right)
	untouched = c.exact && wrong == nil && !(differs && c.last().touches(n))
	out = c.differences(wrong)
	w.done()
	return out, untouched, wrong
}

// comparer walks two values. Where there is no difference it allocates nothing;
// differences are put together on the way up, one set for each container. A walk
// leaves one change if it finds a difference, and says so; its caller names it.
type comparer struct {
	w     *walker
	valid bool
	known known
	// nested is in how many lists that differ, one below the other, this is.
	nested int
	// exact says, of a type with marks, that nothing was taken for the same so far
	// that is not stored alike.
	exact bool
	// unread validates the right value where it is not the same as the left one, before
	// it is walked; nil if it is valid already, or not meant to be. See Follow.
	unread *validator
	// origin and other are of what both values were made, if that tells which leaves are
	// equal. See CompareMade.
	origin, other Origin
	out           *Differences // once there is a difference
}

func newComparer(w *walker, n *graph.Node, facts Facts) comparer {
	valid, unique := facts&Valid != 0, facts&Unique != 0
	return comparer{w: w, valid: valid, known: known{unique: valid && unique, identified: valid}, exact: n.Marked}
}

// The three ways to differ.
const (
	isRemoved = iota
	isModified
	isAdded
	ways
)

// change is how two values differ at one element of a container: the element
// itself, one bit for each way, and what is below it.
type change struct {
	pe    fieldpath.PathElement
	self  uint8
	below [ways]*fieldpath.Set
}

// noDifferences are the differences of values that have none.
type noDifferences struct {
	Differences
	sets [ways]fieldpath.Set
}

// fewDifferences are differences with memory for the sets of one path, and for
// those that stay empty.
type fewDifferences struct {
	Differences
	sets     [6]fieldpath.Set
	nodes    [3]fieldpath.SetNode
	elements [1]fieldpath.PathElement
	names    [1]string
}

// differs leaves a change of an element itself.
func (c *comparer) differs(self uint8) {
	w := c.w
	if c.out == nil {
		few := new(fewDifferences)
		c.out = &few.Differences
		w.sets.Free, w.nodes.Free, w.elements.Free, w.names.Free = few.sets[:], few.nodes[:], few.elements[:], few.names[:]
	}
	w.changes.Push(change{self: self})
}

// last returns the change that was left last.
func (c *comparer) last() *change { return &c.w.changes.S[len(c.w.changes.S)-1] }

// differences returns the differences below the only change that is left, if
// any is. Nothing of them is nil.
func (c *comparer) differences(wrong diag.Findings) *Differences {
	if wrong != nil {
		return nil
	}
	if c.out == nil {
		none := new(noDifferences)
		none.Differences = Differences{&none.sets[isRemoved], &none.sets[isModified], &none.sets[isAdded]}
		return &none.Differences
	}
	below := &c.last().below
	for way, s := range below {
		if s == nil {
			below[way] = c.w.sets.One()
		}
	}
	*c.out = Differences{below[isRemoved], below[isModified], below[isAdded]}
	return c.out
}

// gather makes one change of all that were left since the mark, if there are
// any: the sets of what is below the container of their elements.
func (c *comparer) gather(mark int) bool {
	w := c.w
	changes := w.changes.S[mark:]
	if len(changes) == 0 {
		return false
	}
	if len(changes) == 1 {
		w.lift(&changes[0])
		return true
	}
	w.sortChanges(changes)
	var all change
	for way := range all.below {
		members, children := 0, 0
		for i := range changes {
			ch := &changes[i]
			members += int(ch.self >> way & 1)
			if ch.below[way] != nil {
				children++
			}
		}
		if members+children > 0 {
			all.below[way] = w.setOf(changes, way, members, children)
		}
	}
	w.changes.Pop(mark)
	w.changes.Push(all)
	return true
}

// lift is gather for one change: what is below its element becomes what is below
// the container.
func (w *walker) lift(ch *change) {
	for way, below := range &ch.below {
		var ms []fieldpath.PathElement
		var cs []fieldpath.SetNode
		if ch.self>>way&1 != 0 {
			ms = w.elements.Take(1)
			ms[0] = ch.pe
		}
		if below != nil {
			cs = w.nodes.Take(1)
			cs[0] = fieldpath.SetNode{PathElement: ch.pe, Set: below}
		}
		if ms != nil || cs != nil {
			s := w.sets.One()
			*s = *fieldpath.FromSorted(ms, cs)
			ch.below[way] = s
		}
	}
	ch.self = 0
}

// setOf returns the set of the changes of one way, of which there are so many in
// elements themselves and below them.
func (w *walker) setOf(changes []change, way, members, children int) *fieldpath.Set {
	ms, cs := w.elements.Take(members), w.nodes.Take(children)
	m, n := 0, 0
	for i := range changes {
		ch := &changes[i]
		if ch.self>>way&1 != 0 {
			ms[m] = ch.pe
			m++
		}
		if below := ch.below[way]; below != nil {
			cs[n] = fieldpath.SetNode{PathElement: ch.pe, Set: below}
			n++
		}
	}
	s := w.sets.One()
	*s = *fieldpath.FromSorted(ms, cs)
	return s
}

// both compares two values. Values that are read as different kinds, which
// only types of several kinds allow, are compared as each of them.
func (c *comparer) both(n *graph.Node, x, y any) (bool, diag.Findings) {
	switch a := x.(type) {
	case map[string]any:
		if b, ok := y.(map[string]any); ok && n.Map != nil {
			return c.maps(n, x, y, a, b)
		}
	case []any:
		if b, ok := y.([]any); ok && n.List != nil {
			return c.lists(n, x, y, a, b)
		}
	}
	if n.Missing {
		return false, noType(n)
	}
	if c.unread != nil && !c.reads(n, x, y) {
		return false, nil
	}
	left, right := kindsFor(n, classOf(x)), kindsFor(n, classOf(y))
	differs, wrong := c.kind(n, first(right), x, y)
	if left != right {
		also, before := c.kind(n, first(left), x, y)
		if differs && also {
			c.unite()
		}
		differs, wrong = differs || also, append(before, wrong...)
	}
	return differs, wrong
}

// unite makes one change of the last two, which are of one element.
func (c *comparer) unite() {
	other := *c.last()
	c.w.changes.Pop(c.w.changes.Len() - 1)
	d := c.last()
	d.self |= other.self
	for way, s := range other.below {
		switch {
		case d.below[way] == nil:
			d.below[way] = s
		case s != nil:
			d.below[way] = d.below[way].Union(s)
		}
	}
}
