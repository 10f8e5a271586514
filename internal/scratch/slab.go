// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scratch

// Slab returns short slices that share larger allocations. So a result with many short slices
// needs few allocations. An allocation has the expected total size. If that is unknown, it has
// the size of all slices so far. The zero value is ready to use.
type Slab[T any] struct {
	free     []T // the unused rest of the newest allocation
	size     int // how long free was when taken and expected were brought up to date
	taken    int
	expected int // how many elements will still be taken, as far as is known
	// Tight makes more and smaller allocations with little unused memory. It is for results
	// that stay in memory.
	Tight bool
}

const (
	fewest      = 4    // elements of an allocation
	few         = 64   // elements of an allocation that may have more elements than were taken so far
	mostUnknown = 256  // elements of an allocation for an unknown number of slices
	mostKnown   = 1024 // elements of an allocation for an expected number of elements
	mostCounted = 64   // elements of one slice that count as taken, because a long slice does not predict others
)

// Take returns n zero elements without other references and without spare capacity. It returns
// nil if n is 0.
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

// One returns one zero element.
func (s *Slab[T]) One() *T { return &s.Take(1)[0] }

// Use makes the next elements come from free, which must be zero and have no other references.
func (s *Slab[T]) Use(free []T) { s.free, s.size = free, len(free) }

// Expect says that the caller will take n more elements.
func (s *Slab[T]) Expect(n int) { s.expected += n }

// grow allocates memory for n elements and for later elements. If n elements are too many to
// share an allocation, it returns false, and the caller must allocate them.
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
