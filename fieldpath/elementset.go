// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"iter"
	"slices"
)

// PathElementSet is a set of path elements, kept in the order of
// PathElement.Compare. The zero value is an empty set ready to use.
type PathElementSet struct {
	// members is strictly ascending, and nil rather than empty in results.
	members []PathElement
}

// MakePathElementSet returns an empty set with room for size elements.
func MakePathElementSet(size int) PathElementSet {
	return PathElementSet{members: make([]PathElement, 0, size)}
}

// Insert adds pe. Adding elements in order is cheapest.
func (s *PathElementSet) Insert(pe PathElement) {
	if at, found := searchElements(s.members, &pe); !found {
		s.members = slices.Insert(s.members, at, pe)
	}
}

// Has reports whether pe is in the set.
func (s *PathElementSet) Has(pe PathElement) bool {
	_, found := searchElements(s.members, &pe)
	return found
}

// Size returns the number of elements.
func (s *PathElementSet) Size() int { return len(s.members) }

// Sorted returns the elements in order. The slice is the set's own: it must
// not be written to, and is valid until the set is changed.
func (s *PathElementSet) Sorted() []PathElement {
	return s.members[:len(s.members):len(s.members)]
}

// Copy returns a set with its own elements, which share names, keys and values.
func (s PathElementSet) Copy() PathElementSet {
	var a arena
	return PathElementSet{members: a.copyMembers(s.members)}
}

// Equals reports whether both sets hold the same elements.
func (s *PathElementSet) Equals(s2 *PathElementSet) bool {
	return equalMembers(s.members, s2.members)
}

func equalMembers(x, y []PathElement) bool {
	if len(x) != len(y) {
		return false
	}
	if same(x, y) {
		return true
	}
	for i := range x {
		if !equalElements(&x[i], &y[i]) {
			return false
		}
	}
	return true
}

// Union returns the elements of either set. Where both hold an equal element,
// that of s2 is taken.
func (s *PathElementSet) Union(s2 *PathElementSet) *PathElementSet {
	var a arena
	members, _ := a.unionMembers(s.members, s2.members)
	return &PathElementSet{members: own(&a.elements, members)}
}

// Intersection returns the elements of s that s2 holds too.
func (s *PathElementSet) Intersection(s2 *PathElementSet) *PathElementSet {
	var a arena
	return &PathElementSet{members: own(&a.elements, a.intersectMembers(s.members, s2.members))}
}

// Difference returns the elements of s that s2 does not hold.
func (s *PathElementSet) Difference(s2 *PathElementSet) *PathElementSet {
	var a arena
	return &PathElementSet{members: own(&a.elements, a.subtractMembers(s.members, s2.members))}
}

// Iterate calls f for each element in order.
func (s *PathElementSet) Iterate(f func(PathElement)) {
	for _, pe := range s.members {
		f(pe)
	}
}

// All returns the elements in order.
func (s *PathElementSet) All() iter.Seq[PathElement] {
	return func(yield func(PathElement) bool) {
		for _, pe := range s.members {
			if !yield(pe) {
				return
			}
		}
	}
}
