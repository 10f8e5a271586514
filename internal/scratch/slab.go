// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scratch

// Slab returns short slices that share larger allocations, so that a result with many short
// slices needs few allocations. The caller can announce the number of elements with Expect. If
// it does not, an allocation is about as large as all earlier slices together. The zero Slab is
// ready to use.
type Slab[T any] struct {
	free     []T // unused rest of the latest allocation
	size     int // length of free at the last update of taken and expected
	taken    int
	expected int // how many elements the caller will still take, if known
	// Tight limits unused memory: the slab makes more allocations, which are smaller. Set it for
	// results that stay in memory for a long time.
	Tight bool
}

const (
	fewest      = 4    // minimum number of elements in an allocation
	few         = 64   // up to this size, an allocation may be twice as large as the earlier slices
	mostUnknown = 256  // maximum for an allocation if the number of elements is unknown
	mostKnown   = 1024 // maximum for an allocation if the number of elements is known
	mostCounted = 64   // a longer slice counts as this many elements in taken, because later slices may be short
)

// Take returns a slice of n zero elements without spare capacity, or nil if n is 0. Nothing else
// refers to these elements.
func (s *Slab[T]) Take(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.free) && !s.grow(n) {
		return make([]T, n)
	}
	piece := s.free[:n:n]
	s.free = s.free[n:]
	return piece
}

// One returns a pointer to a zero element.
func (s *Slab[T]) One() *T { return &s.Take(1)[0] }

// Use makes Take return the elements of free before it allocates memory. They must be zero, and
// nothing else may refer to them.
func (s *Slab[T]) Use(free []T) { s.free, s.size = free, len(free) }

// Expect announces that the caller will take n more elements.
func (s *Slab[T]) Expect(n int) { s.expected += n }

// grow allocates memory for n elements and for later elements. If n is too large for a shared
// allocation, grow returns false, and the caller must allocate the elements separately.
func (s *Slab[T]) grow(n int) bool {
	used := s.size - len(s.free)
	s.taken += used
	s.expected = max(0, s.expected-used)
	size := min(s.expected, mostKnown)
	switch {
	case s.Tight:
		size = max(size, min(s.taken/4, mostUnknown))
	case size < n || s.taken > 0:
		size = max(size, min(s.taken, mostUnknown), min(2*s.taken, few), fewest)
	}
	if n > size || n > mostUnknown && s.expected > mostKnown {
		s.taken += min(n, mostCounted)
		s.expected = max(0, s.expected-n)
		s.size = len(s.free)
		return false
	}
	s.free, s.size = make([]T, size), size
	return true
}
