package engine

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Who applies what he applied last time owns what he owned. The set builder
// compares what it finds with the old set and takes from it what is the same, so
// that an apply which changes nothing builds nothing.

// setLike is set, and returns like if it has just the members and children that
// were gathered since the marks, the latter identical.
func (w *walker) setLike(members, children int, like *fieldpath.Set) *fieldpath.Set {
	if like == nil {
		return w.set(members, children)
	}
	m, c := w.members.s[members:], w.children.s[children:]
	ms, cs := like.Members.Sorted(), like.Children.Sorted()
	if len(m) != len(ms) || len(c) != len(cs) || len(m)+len(c) == 0 {
		return w.set(members, children)
	}
	for i := range m {
		if !sameElement(&m[i], &ms[i]) {
			return w.set(members, children)
		}
	}
	for i := range c {
		if c[i].Set != cs[i].Set || !sameElement(&c[i].PathElement, &cs[i].PathElement) {
			return w.set(members, children)
		}
	}
	w.members.pop(members)
	w.children.pop(children)
	return like
}

// sameElement says whether two elements are the same field, or one element.
func sameElement(a, b *fieldpath.PathElement) bool {
	if a.FieldName != nil && b.FieldName != nil {
		return *a.FieldName == *b.FieldName
	}
	return a.FieldName == b.FieldName && a.Key == b.Key && a.Value == b.Value && a.Index == b.Index
}

// isElement says whether two elements are equal.
func isElement(a, b *fieldpath.PathElement) bool { return sameElement(a, b) || a.Equals(*b) }

// from returns the rest of sorted elements that starts where pe is, or belongs.
func from(sorted []fieldpath.PathElement, pe *fieldpath.PathElement) []fieldpath.PathElement {
	for len(sorted) > 0 && !sameElement(&sorted[0], pe) && sorted[0].Compare(*pe) < 0 {
		sorted = sorted[1:]
	}
	return sorted
}

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
	for len(f.rest) > 0 {
		c := &f.rest[0]
		if sameElement(&c.PathElement, pe) {
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

// itemsLike pushes the items of a list under the elements of like, and in its
// order, if like has just these items as members.
func (b *setBuilder) itemsLike(l *graph.List, x []any, like *fieldpath.Set) bool {
	if like == nil || l.Relation != graph.Associative || like.Members.Size() != len(x) {
		return false
	}
	w := b.w
	start, ints := w.entries.len(), w.ints.len()
	defer w.ints.pop(ints)
	ix := w.index(l, x, len(x))
	elements := like.Members.Sorted()
	for i := range elements {
		pe, at := &elements[i], i // most often the order is the same
		if !namesExactly(l, pe, x[i]) {
			var more bool
			if at, more = ix.find(pe); at < 0 || more || !namesExactly(l, pe, x[at]) {
				w.entries.pop(start)
				return false
			}
		}
		w.entries.push(entry{pe: *pe, at: int32(at), v: x[at]})
	}
	return true
}

// namesExactly says whether pe is the element that names item, to the Go types
// of its numbers: who prints 1000000 and 1e+06 shows the difference.
func namesExactly(l *graph.List, pe *fieldpath.PathElement, item any) bool {
	return identified(l, item) && namesBy(l, pe, item, identical)
}
