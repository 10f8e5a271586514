// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"iter"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/value"
)

// PathElementSet is a set of path elements in the order of PathElement.Compare. The zero
// value is an empty set ready to use.
type PathElementSet struct {
	// members is strictly ascending. In the result of a set operation, it is nil instead of
	// empty.
	members []PathElement
}

// MakePathElementSet returns an empty set with room for size elements.
func MakePathElementSet(size int) PathElementSet {
	return PathElementSet{members: make([]PathElement, 0, size)}
}

// Insert adds pe. It is fastest if elements are inserted in ascending order.
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

// Sorted returns the elements in order. The caller must not change the slice. It is valid
// until the set changes.
func (s *PathElementSet) Sorted() []PathElement {
	return s.members[:len(s.members):len(s.members)]
}

// Copy returns a set with its own slice of elements. The elements still share names, keys and
// values.
func (s PathElementSet) Copy() PathElementSet {
	var a arena
	return PathElementSet{members: fresh(&a.elements, s.members)}
}

// Equals reports whether both sets have the same elements.
func (s *PathElementSet) Equals(s2 *PathElementSet) bool {
	return equalMembers(s.members, s2.members)
}

func equalMembers(x, y []PathElement) bool {
	if len(x) != len(y) {
		return false
	}
	if box.SameList(x, y) {
		return true
	}
	for i := range x {
		if !equalElements(&x[i], &y[i]) {
			return false
		}
	}
	return true
}

// Union returns the elements of both sets. If an element of s equals an element of s2, the
// result has the element of s2.
func (s *PathElementSet) Union(s2 *PathElementSet) *PathElementSet {
	var a arena
	members, _ := a.unionMembers(s.members, s2.members)
	return &PathElementSet{members: own(&a.elements, members)}
}

// Intersection returns the elements of s that are also in s2.
func (s *PathElementSet) Intersection(s2 *PathElementSet) *PathElementSet {
	var a arena
	return &PathElementSet{members: own(&a.elements, a.choose(s.members, s2.members, true))}
}

// Difference returns the elements of s that are not in s2.
func (s *PathElementSet) Difference(s2 *PathElementSet) *PathElementSet {
	var a arena
	return &PathElementSet{members: own(&a.elements, a.choose(s.members, s2.members, false))}
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
		for _, pe := range s.members { // reads s.members only once, when the iteration starts
			if !yield(pe) {
				return
			}
		}
	}
}

// PathElementMap maps path elements to values of any type. The zero value is empty and ready
// to use. Insert is fastest if elements are inserted in ascending order.
type PathElementMap struct {
	// keys is strictly ascending. values[i] is the value of keys[i].
	keys   []PathElement
	values []any
}

// MakePathElementMap returns an empty map with room for size elements.
func MakePathElementMap(size int) PathElementMap {
	return PathElementMap{
		keys:   make([]PathElement, 0, size),
		values: make([]any, 0, size),
	}
}

// Insert sets the value of pe. It replaces the existing value, if there is one.
func (s *PathElementMap) Insert(pe PathElement, v interface{}) {
	at, found := searchElements(s.keys, &pe)
	if found {
		s.values[at] = v
		return
	}
	s.keys = slices.Insert(s.keys, at, pe)
	s.values = slices.Insert(s.values, at, v)
}

// Get returns true and the value that is stored for pe. If there is none, it returns nil and false.
func (s *PathElementMap) Get(pe PathElement) (interface{}, bool) {
	if at, found := searchElements(s.keys, &pe); found {
		return s.values[at], true
	}
	return nil, false
}

// PathElementValueMap maps path elements to values.
type PathElementValueMap struct {
	values PathElementMap
}

// MakePathElementValueMap returns an empty map with room for size elements.
func MakePathElementValueMap(size int) PathElementValueMap {
	return PathElementValueMap{values: MakePathElementMap(size)}
}

// Insert sets the value of pe. It replaces the existing value, if there is one.
func (s *PathElementValueMap) Insert(pe PathElement, v value.Value) {
	s.values.Insert(pe, v)
}

// Get returns true and the value that is stored for pe. If there is none, it returns nil and false.
func (s *PathElementValueMap) Get(pe PathElement) (value.Value, bool) {
	v, found := s.values.Get(pe)
	if !found {
		return nil, false
	}
	out, _ := v.(value.Value) // out is nil if a nil Value was inserted
	return out, true
}
