// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

// slab is memory for many short slices, of which a part is allocated at a time.
type slab[T any] struct {
	free []T
	// size is how many elements were allocated last.
	size int
}

// The first part is small, since many readers read little; then parts double.
const (
	firstSlab = 8
	lastSlab  = 64
)

// take returns an empty slice with room for n, and no more; nil for none.
func (s *slab[T]) take(n int) []T {
	switch {
	case n == 0:
		return nil
	case n > lastSlab/4:
		return make([]T, 0, n)
	case n > len(s.free):
		s.size = min(max(2*s.size, firstSlab, n), lastSlab)
		s.free = make([]T, s.size)
	}
	taken := s.free[:0:n]
	s.free = s.free[n:]
	return taken
}
