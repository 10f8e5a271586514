// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import "iter"

// Iterate calls f for each path. At every level the members come first, then
// what is below the children. The path is reused: copy it to keep it.
func (s *Set) Iterate(f func(Path)) {
	s.walk(nil, func(p Path) bool {
		f(p)
		return true
	})
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
