// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import "iter"

// Set is a set of paths, stored as a tree. The zero value is an empty set ready to use. If a set
// contains a path, it need not contain the parents or the children of that path.
type Set struct {
	// Members contains the elements of the paths that end at this level.
	Members PathElementSet

	// Children has the paths that continue below this level: it maps the next element of a path to
	// the set of the paths below that element. If an element is only in Children and not in
	// Members, the set does not contain the path that ends with the element.
	Children SetNodeMap
}

// NewSet returns a set of the given paths. It ignores empty paths, because no manager owns a
// whole object.
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

// FromSorted returns a set that refers to the given slices, without their spare capacity. Each
// slice must be strictly ascending, and each child must have a set that is not nil. FromSorted does
// not check this.
func FromSorted(members []PathElement, children []SetNode) *Set {
	return &Set{
		Members:  PathElementSet{members: capped(members)},
		Children: SetNodeMap{members: capped(children)},
	}
}

// Copy returns a copy of s with its own tree. The copy and s share names, keys and
// values.
func (s *Set) Copy() *Set {
	var a arena
	a.expect(s)
	return a.copySet(s)
}

// Insert adds the path, but not its parents. It ignores the empty path.
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

// Equals reports whether both sets have the same tree. A child without paths, as Descend adds it,
// also counts: if only one of the sets has this child, the sets are not equal.
func (s *Set) Equals(s2 *Set) bool {
	return s == s2 ||
		equalMembers(s.Members.members, s2.Members.members) &&
			s.Children.Equals(&s2.Children)
}

// WithPrefix returns the paths below pe, without the prefix pe. It does not copy them, so the
// caller must not change the result.
func (s *Set) WithPrefix(pe PathElement) *Set {
	if child, found := s.Children.Get(pe); found {
		return child
	}
	return &Set{}
}

// String returns the paths in the order of Iterate, one on each line.
func (s *Set) String() string {
	var b []byte
	shared := make(Path, 0, 16) // walk reuses this memory for each path of up to 16 elements
	s.walk(shared, func(p Path) bool {
		if len(b) > 0 {
			b = append(b, '\n')
		}
		b = appendPathText(b, p)
		return true
	})
	return string(b)
}

// Iterate calls f for each path. At each level of the tree, it visits the paths that end there
// before the longer paths. Iterate reuses the memory of a path after f returns, so f must copy a
// path to keep it.
func (s *Set) Iterate(f func(Path)) {
	for p := range s.All() {
		f(p)
	}
}

// All returns the paths in the order of Iterate. Like Iterate, it reuses the memory of a path
// for the next one.
func (s *Set) All() iter.Seq[Path] {
	return func(yield func(Path) bool) {
		s.walk(nil, yield)
	}
}

// walk calls yield for each path of s, with prefix in front. If yield returns false, walk stops and
// returns false.
//
// walk creates each path by appending to its prefix. If the prefix has spare capacity, the next
// path overwrites the memory of the last one. If it has no spare capacity, each path has its own
// memory. Some callers, such as tests in apimachinery, rely on this: they keep short paths without
// copying them.
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
