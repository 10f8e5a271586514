// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownedset

import (
	"iter"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// Finder looks up children of a set. Lookups must be in ascending order of the elements.
type Finder struct{ rest []fieldpath.SetNode }

// ChildrenOf returns a Finder for the children of s. s may be nil.
func ChildrenOf(s *fieldpath.Set) Finder {
	if s == nil {
		return Finder{}
	}
	return Finder{s.Children.Sorted()}
}

// Find returns the child with the element pe, or nil if there is none.
func (f *Finder) Find(pe *fieldpath.PathElement) *fieldpath.Set {
	if pe.FieldName != nil {
		return f.Field(*pe.FieldName)
	}
	for len(f.rest) > 0 {
		c := &f.rest[0]
		order := 0
		if !SameElement(&c.PathElement, pe) && (pe.Key == nil || c.PathElement.Key == nil || !sameKeys(*pe.Key, *c.PathElement.Key)) {
			order = c.PathElement.Compare(*pe)
		}
		if order > 0 {
			return nil
		}
		f.rest = f.rest[1:]
		if order == 0 {
			return c.Set
		}
	}
	return nil
}

// sameKeys reports whether two lists of key fields are equal. It may return false for equal
// numbers of different Go types.
func sameKeys(x, y value.FieldList) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Name != y[i].Name || !data.SameScalar(x[i].Value.Unstructured(), y[i].Value.Unstructured()) {
			return false
		}
	}
	return true
}

// Field returns the child for the named field, or nil if there is none. As with Find, names
// must be looked up in ascending order.
func (f *Finder) Field(name string) *fieldpath.Set {
	for len(f.rest) > 0 {
		c := &f.rest[0]
		of := c.PathElement.FieldName
		found := of != nil && *of == name
		if !found && (of == nil || *of > name) {
			return nil // no later child can have this name
		}
		f.rest = f.rest[1:]
		if found {
			return c.Set
		}
	}
	return nil
}

// NameIn returns a pointer to the field name in s, so that another set can share the string. It
// returns nil if s has no path element with this name.
func NameIn(s *fieldpath.Set, name string) *string {
	if s == nil {
		return nil
	}
	members, children := s.Members.Sorted(), s.Children.Sorted()
	if at, ok := slices.BinarySearchFunc(members, name, ByName); ok {
		return members[at].FieldName
	}
	if at, ok := slices.BinarySearchFunc(children, name, nodeByName); ok {
		return children[at].PathElement.FieldName
	}
	return nil
}

// ByName compares a path element with the path element of the field with the given name. Fields
// come before all other elements.
func ByName(pe fieldpath.PathElement, name string) int {
	if pe.FieldName == nil {
		return 1
	}
	return strings.Compare(*pe.FieldName, name)
}

func nodeByName(c fieldpath.SetNode, name string) int { return ByName(c.PathElement, name) }

// SameElement reports whether two elements are the same field, or point to the same key, value
// or index in memory. It may return false for equal elements.
func SameElement(a, b *fieldpath.PathElement) bool {
	if a.FieldName != nil && b.FieldName != nil {
		return *a.FieldName == *b.FieldName
	}
	return a.FieldName == b.FieldName && a.Key == b.Key && a.Value == b.Value && a.Index == b.Index
}

// skipPast returns the elements of sorted that come after pe, and reports whether sorted contains
// pe. sorted must be in ascending order.
func skipPast(sorted []fieldpath.PathElement, pe *fieldpath.PathElement) (rest []fieldpath.PathElement, found bool) {
	for len(sorted) > 0 {
		order := 0
		if !SameElement(&sorted[0], pe) {
			order = sorted[0].Compare(*pe)
		}
		if order > 0 {
			return sorted, false
		}
		sorted = sorted[1:]
		if order == 0 {
			return sorted, true
		}
	}
	return nil, false
}

// Entry is a path element that occurs in a set. It is a member, or has paths below it, or both.
type Entry struct {
	Element fieldpath.PathElement
	Member  bool
	Below   *fieldpath.Set // nil if there is no path below the element
}

// Entries returns all path elements at the top level of set, in ascending order.
func Entries(set *fieldpath.Set) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		w := WalkOver(set)
		for e, ok := w.Next(); ok && yield(e); e, ok = w.Next() {
		}
	}
}

// Walk visits the same elements as Entries. With two Walks, a caller can visit two sets in
// parallel.
type Walk struct {
	members  []fieldpath.PathElement
	children []fieldpath.SetNode
}

// WalkOver returns a Walk over set. A nil set has no elements.
func WalkOver(set *fieldpath.Set) Walk {
	if set == nil {
		return Walk{}
	}
	return Walk{set.Members.Sorted(), set.Children.Sorted()}
}

// Next returns the next element. ok is false at the end.
func (w *Walk) Next() (e Entry, ok bool) {
	order := 0
	switch {
	case len(w.members) == 0 && len(w.children) == 0:
		return Entry{}, false
	case len(w.members) == 0:
		order = 1
	case len(w.children) == 0:
		order = -1
	default:
		order = w.members[0].Compare(w.children[0].PathElement)
	}
	if order <= 0 {
		e.Element, e.Member = w.members[0], true
		w.members = w.members[1:]
	}
	if order >= 0 {
		e.Element, e.Below = w.children[0].PathElement, w.children[0].Set
		w.children = w.children[1:]
	}
	return e, true
}

// Narrow returns the children of the sets at pe. found is true if pe itself is a member of one of the
// sets. For a declared field, pass declared as true. found is then also true if one of the sets has a
// child at pe.
func Narrow(sets []*fieldpath.Set, pe fieldpath.PathElement, declared bool) (below []*fieldpath.Set, found bool) {
	for _, s := range sets {
		c, ok := s.Children.Get(pe)
		if ok {
			below = append(below, c)
		}
		if !found {
			found = ok && declared || s.Members.Has(pe)
		}
	}
	return below, found
}

// ShareParts reports whether the two sets share a child in memory.
func ShareParts(a, b *fieldpath.Set) bool {
	below := ChildrenOf(b)
	for _, c := range a.Children.Sorted() {
		if below.Find(&c.PathElement) == c.Set {
			return true
		}
	}
	return false
}

var noType = &graph.Node{}

// Descend returns the type of the value at pe in a list or map of type n. declared reports whether pe
// is a declared field. Descend returns a type that allows no value if n cannot have a value at pe, or
// if no path can be below pe, for example because pe is an item without keys.
func Descend(n *graph.Node, pe *fieldpath.PathElement) (t *graph.Node, declared bool) {
	switch {
	case pe.FieldName != nil && n.Map != nil:
		if f := n.Map.Field(*pe.FieldName); f != nil {
			return f.Type, true
		}
		return n.Map.Elem, false
	case pe.Key != nil && n.List != nil:
		return n.List.Item, false
	}
	return noType, false
}

// HasField reports whether s has the field with the given name, or a path below it.
func HasField(s *fieldpath.Set, name *string) bool {
	pe := fieldpath.PathElement{FieldName: name}
	return s.Members.Has(pe) || hasChild(s, pe)
}

// hasChild reports whether s has a path below pe.
func hasChild(s *fieldpath.Set, pe fieldpath.PathElement) bool {
	_, ok := s.Children.Get(pe)
	return ok
}
