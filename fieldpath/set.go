// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import "iter"

// Set is a set of paths, kept as a tree. The zero value is an empty set ready
// to use. A path being in the set says nothing of the paths above or below it.
type Set struct {
	// Members are the elements that end a path of the set here.
	Members PathElementSet

	// Children leads on to longer paths. An element that is only here is not
	// itself in the set.
	Children SetNodeMap
}

// NewSet returns the set of the given paths. The empty path is left out:
// nobody owns a whole object.
func NewSet(paths ...Path) *Set {
	s := &Set{}
	if len(paths) >= bulkPaths {
		s.insertAll(paths)
		return s
	}
	for _, p := range paths {
		s.Insert(p)
	}
	return s
}

// FromSorted returns the set with these members and children. It keeps both
// slices, without their spare capacity, and checks nothing: the caller
// guarantees that each is strictly ascending and that no child is nil.
func FromSorted(members []PathElement, children []SetNode) *Set {
	return &Set{
		Members:  PathElementSet{members: capped(members)},
		Children: SetNodeMap{members: capped(children)},
	}
}

// Copy returns a set whose tree is its own. Names, keys and values are shared.
func (s *Set) Copy() *Set {
	var a arena
	a.expect(s)
	return a.copySet(s)
}

// Insert adds the path, but not the paths above it. The empty path is ignored.
func (s *Set) Insert(p Path) {
	if len(p) == 0 {
		return
	}
	last := len(p) - 1
	for i := range p[:last] {
		s = s.Children.Descend(p[i])
	}
	s.Members.Insert(p[last])
}

// Has reports whether the path is in the set.
func (s *Set) Has(p Path) bool {
	if len(p) == 0 {
		return false
	}
	last := len(p) - 1
	for i := range p[:last] {
		child, found := s.Children.Get(p[i])
		if !found {
			return false
		}
		s = child
	}
	return s.Members.Has(p[last])
}

// Size returns the number of paths in the set.
func (s *Set) Size() int {
	return len(s.Members.members) + s.Children.Size()
}

// Empty reports whether there is no path in the set.
func (s *Set) Empty() bool {
	return len(s.Members.members) == 0 && s.Children.Empty()
}

// Equals reports whether both sets are the same tree. A child left empty by
// Descend counts as a difference.
func (s *Set) Equals(s2 *Set) bool {
	return s == s2 ||
		equalMembers(s.Members.members, s2.Members.members) &&
			s.Children.Equals(&s2.Children)
}

// WithPrefix returns the paths that start with pe, without it. The result is
// part of s and must not be changed, unless it is empty.
func (s *Set) WithPrefix(pe PathElement) *Set {
	if child, found := s.Children.Get(pe); found {
		return child
	}
	return &Set{}
}

// String renders the set as one path per line, in the order of Iterate.
func (s *Set) String() string {
	var b []byte
	shared := make(Path, 0, 16) // for all paths, as far as it goes
	s.walk(shared, func(p Path) bool {
		if len(b) > 0 {
			b = append(b, '\n')
		}
		b = appendPathText(b, p)
		return true
	})
	return string(b)
}

// Iterate calls f for each path. At every level the members come first, then
// what is below the children. The path is reused: copy it to keep it.
func (s *Set) Iterate(f func(Path)) {
	for p := range s.All() {
		f(p)
	}
}

// All returns the paths in the order of Iterate, reusing the path likewise.
func (s *Set) All() iter.Seq[Path] {
	return func(yield func(Path) bool) {
		s.walk(nil, yield)
	}
}

// walk calls yield for each path behind prefix until it returns false, which it
// then returns too. A path shares memory with those before it only where
// appending to their common prefix does: callers that keep paths without
// copying them, as tests of apimachinery do, rely on it.
func (s *Set) walk(prefix Path, yield func(Path) bool) bool {
	for i := range s.Members.members {
		if !yield(append(prefix, s.Members.members[i])) {
			return false
		}
	}
	for i := range s.Children.members {
		node := &s.Children.members[i]
		if !node.Set.walk(append(prefix, node.PathElement), yield) {
			return false
		}
	}
	return true
}
