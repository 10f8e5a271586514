// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// childFinder finds children of a set for elements that come in order.
type childFinder struct{ rest []fieldpath.SetNode }

func childrenOf(s *fieldpath.Set) childFinder {
	if s == nil {
		return childFinder{}
	}
	return childFinder{s.Children.Sorted()}
}

// find returns the child of pe, nil if there is none.
func (f *childFinder) find(pe *fieldpath.PathElement) *fieldpath.Set {
	if pe.FieldName != nil {
		return f.field(*pe.FieldName)
	}
	for len(f.rest) > 0 {
		c := &f.rest[0]
		if sameElement(&c.PathElement, pe) || pe.Key != nil && c.PathElement.Key != nil && sameKeys(*pe.Key, *c.PathElement.Key) {
			f.rest = f.rest[1:]
			return c.Set
		}
		switch order := c.PathElement.Compare(*pe); {
		case order == 0:
			f.rest = f.rest[1:]
			return c.Set
		case order > 0:
			return nil
		}
		f.rest = f.rest[1:]
	}
	return nil
}

// sameKeys says whether two keys are the same. It may say no of numbers that are
// equal.
func sameKeys(x, y value.FieldList) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Name != y[i].Name || !sameScalar(x[i].Value.Unstructured(), y[i].Value.Unstructured()) {
			return false
		}
	}
	return true
}

// field is find for a field.
func (f *childFinder) field(name string) *fieldpath.Set {
	for len(f.rest) > 0 {
		c := &f.rest[0]
		if c.PathElement.FieldName == nil {
			return nil // fields come first
		}
		of := *c.PathElement.FieldName
		if of == name {
			f.rest = f.rest[1:]
			return c.Set
		}
		if of > name {
			return nil
		}
		f.rest = f.rest[1:]
	}
	return nil
}

// nameIn returns the set's own copy of a field name, nil if it has none.
func nameIn(s *fieldpath.Set, name string) *string {
	if s == nil {
		return nil
	}
	members, children := s.Members.Sorted(), s.Children.Sorted()
	if at, ok := slices.BinarySearchFunc(members, name, byName); ok {
		return members[at].FieldName
	}
	if at, ok := slices.BinarySearchFunc(children, name, nodeByName); ok {
		return children[at].PathElement.FieldName
	}
	return nil
}

// byName orders an element against a field name, which comes before all that is
// no field.
func byName(pe fieldpath.PathElement, name string) int {
	if pe.FieldName == nil {
		return 1
	}
	return strings.Compare(*pe.FieldName, name)
}

func nodeByName(c fieldpath.SetNode, name string) int { return byName(c.PathElement, name) }

// sameElement says whether two elements are the same field, or one element.
func sameElement(a, b *fieldpath.PathElement) bool {
	if a.FieldName != nil && b.FieldName != nil {
		return *a.FieldName == *b.FieldName
	}
	return a.FieldName == b.FieldName && a.Key == b.Key && a.Value == b.Value && a.Index == b.Index
}

// past returns the rest of sorted elements behind pe, and whether pe was there.
func past(sorted []fieldpath.PathElement, pe *fieldpath.PathElement) (rest []fieldpath.PathElement, found bool) {
	for len(sorted) > 0 {
		if sameElement(&sorted[0], pe) {
			return sorted[1:], true
		}
		switch order := sorted[0].Compare(*pe); {
		case order == 0:
			return sorted[1:], true
		case order > 0:
			return sorted, false
		}
		sorted = sorted[1:]
	}
	return nil, false
}

// place is one element of a set: a member, a child, or both.
type place struct {
	element fieldpath.PathElement
	member  bool
	below   *fieldpath.Set // nil if there is nothing
}

// places calls f for the elements of set in order.
func places(set *fieldpath.Set, f func(pl place)) {
	members, children := set.Members.Sorted(), set.Children.Sorted()
	for len(members) > 0 || len(children) > 0 {
		c := -1
		if len(members) == 0 {
			c = 1
		} else if len(children) > 0 {
			c = members[0].Compare(children[0].PathElement)
		}
		var pl place
		if c <= 0 {
			pl.element, pl.member = members[0], true
			members = members[1:]
		}
		if c >= 0 {
			pl.element, pl.below = children[0].PathElement, children[0].Set
			children = children[1:]
		}
		f(pl)
	}
}

// narrow returns what the sets hold below pe, and whether one of them has pe
// itself; a declared field counts as had when something below it is.
func narrow(sets []*fieldpath.Set, pe fieldpath.PathElement, declared bool) (below []*fieldpath.Set, has bool) {
	for _, s := range sets {
		c, ok := s.Children.Get(pe)
		if ok {
			below = append(below, c)
		}
		if !has {
			has = ok && declared || s.Members.Has(pe)
		}
	}
	return below, has
}

// shares says whether two sets have parts in common.
func shares(a, b *fieldpath.Set) bool {
	below := childrenOf(b)
	for _, c := range a.Children.Sorted() {
		if below.find(&c.PathElement) == c.Set {
			return true
		}
	}
	return false
}

var nowhere = &graph.Node{}

// descend returns the type of what pe names in a value of type n, and whether
// it is a declared field.
func descend(n *graph.Node, pe *fieldpath.PathElement) (t *graph.Node, declared bool) {
	switch {
	case pe.FieldName != nil && n.Map != nil:
		if f := n.Map.Field(*pe.FieldName); f != nil {
			return f.Type, true
		}
		return n.Map.Elem, false
	case pe.Key != nil && n.List != nil:
		return n.List.Item, false
	}
	return nowhere, false
}

func hasField(s *fieldpath.Set, name *string) bool {
	pe := fieldpath.PathElement{FieldName: name}
	return s.Members.Has(pe) || hasChild(s, pe)
}

func hasChild(s *fieldpath.Set, pe fieldpath.PathElement) bool {
	_, ok := s.Children.Get(pe)
	return ok
}

// pieces returns the elements of a set in order.
func pieces(set *fieldpath.Set) []place {
	all := make([]place, 0, max(len(set.Members.Sorted()), len(set.Children.Sorted())))
	places(set, func(pl place) { all = append(all, pl) })
	return all
}
