// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"iter"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/schema"
)

// SetNode is one child of a Set: a path element and the set of the paths below it.
type SetNode struct {
	PathElement PathElement
	Set         *Set
}

// SetNodeMap maps path elements to sets, in the order of PathElement.Compare.
// The zero value is empty and ready to use.
type SetNodeMap struct {
	// members is strictly ascending and has no nil sets. In the result of a set operation, it is
	// nil instead of empty.
	members []SetNode
}

// Copy returns a copy of s and of all sets in it. The copy and s share names, keys and values,
// which must never be modified.
func (s *SetNodeMap) Copy() SetNodeMap {
	var a arena
	return SetNodeMap{members: a.copyNodes(s.members)}
}

// Descend returns the set below pe. If s has no child pe, it adds pe with an empty set, and
// returns that set. If the caller changes the returned set, s changes too.
func (s *SetNodeMap) Descend(pe PathElement) *Set {
	at, found := searchNodes(s.members, &pe)
	if !found {
		s.members = slices.Insert(s.members, at, SetNode{PathElement: pe, Set: &Set{}})
	}
	return s.members[at].Set
}

// Get returns the set below pe and true. If s has no child pe, it returns nil and
// false.
func (s *SetNodeMap) Get(pe PathElement) (*Set, bool) {
	if at, found := searchNodes(s.members, &pe); found {
		return s.members[at].Set, true
	}
	return nil, false
}

// Sorted returns the children in order. The caller must not change the slice, which is
// valid until the map changes.
func (s *SetNodeMap) Sorted() []SetNode {
	return s.members[:len(s.members):len(s.members)]
}

// Size returns the number of paths below all children.
func (s *SetNodeMap) Size() int {
	size := 0
	for i := range s.members {
		size += s.members[i].Set.Size()
	}
	return size
}

// Empty reports whether the sets of all children are empty.
func (s *SetNodeMap) Empty() bool {
	for i := range s.members {
		if !s.members[i].Set.Empty() {
			return false
		}
	}
	return true
}

// Equals reports whether both maps have the same elements with equal sets.
func (s *SetNodeMap) Equals(s2 *SetNodeMap) bool {
	x, y := s.members, s2.members
	if len(x) != len(y) {
		return false
	}
	if box.SameList(x, y) {
		return true
	}
	for i := range x {
		if !equalElements(&x[i].PathElement, &y[i].PathElement) || !x[i].Set.Equals(y[i].Set) {
			return false
		}
	}
	return true
}

// Union returns the children of both maps. If both maps have a child with the same
// element, the result has one child with the union of the two sets.
func (s *SetNodeMap) Union(s2 *SetNodeMap) *SetNodeMap {
	var a arena
	nodes, _ := a.unionNodes(s.members, s2.members)
	return &SetNodeMap{members: own(&a.nodes, nodes)}
}

// Intersection returns the children whose elements are in both maps. The set of such a child is
// the intersection of its set in s and its set in s2. A child with an empty set is omitted.
func (s *SetNodeMap) Intersection(s2 *SetNodeMap) *SetNodeMap {
	var a arena
	return &SetNodeMap{members: own(&a.nodes, a.intersectNodes(s.members, s2.members))}
}

// Difference returns the children of s without the paths that are in s2. It omits children in
// which no path remains.
func (s *SetNodeMap) Difference(s2 *Set) *SetNodeMap {
	var a arena
	return &SetNodeMap{members: own(&a.nodes, a.subtractNodes(s.members, s2, false))}
}

// RecursiveDifference is like Difference, but also removes everything below a member of s2.
func (s *SetNodeMap) RecursiveDifference(s2 *Set) *SetNodeMap {
	var a arena
	return &SetNodeMap{members: own(&a.nodes, a.subtractNodes(s.members, s2, true))}
}

// Leaves returns a map with the same elements. It replaces each set with the result of the set's
// Leaves method.
func (s *SetNodeMap) Leaves() *SetNodeMap {
	var a arena
	return &SetNodeMap{members: own(&a.nodes, a.leafNodes(s.members))}
}

// EnsureNamedFieldsAreMembers returns a map with the same elements. It replaces each set with
// the result of Set.EnsureNamedFieldsAreMembers. tr is the type of the value that contains the
// children.
func (s *SetNodeMap) EnsureNamedFieldsAreMembers(sc *schema.Schema, tr schema.TypeRef) *SetNodeMap {
	n := namer{schema: sc}
	atom, _ := sc.Resolve(tr)
	return &SetNodeMap{members: own(&n.arena.nodes, n.nodes(s.members, atom))}
}

// FilterIncludeMatches returns the children, reduced to the paths that pattern matches. It omits
// children in which pattern matches no path. If pattern matches everything, it returns s itself.
func (s *SetNodeMap) FilterIncludeMatches(pattern *SetMatcher) *SetNodeMap {
	if pattern.wildcard {
		return s
	}
	var a arena
	return &SetNodeMap{members: own(&a.nodes, a.matchNodes(s.members, pattern))}
}

// Iterate calls f for the element of each child in order.
func (s *SetNodeMap) Iterate(f func(PathElement)) {
	for i := range s.members {
		f(s.members[i].PathElement)
	}
}

// All returns the elements of the children in order.
func (s *SetNodeMap) All() iter.Seq[PathElement] {
	return func(yield func(PathElement) bool) {
		for i := range s.members {
			if !yield(s.members[i].PathElement) {
				return
			}
		}
	}
}
