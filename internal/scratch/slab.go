// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scratch

// Slab returns short slices that share larger allocations, so that a result with many short
// slices needs few allocations. An allocation has the size that the caller announced with
// Expect. If the size is unknown, an allocation is about as large as all earlier slices
// together. The zero Slab is ready to use.
type Slab[T any] struct {
	free     []T // unused rest of the latest allocation
	size     int // length of free when taken and expected were last updated
	taken    int
	expected int // number of elements that will still be taken, if known
	// Tight makes the slab use more and smaller allocations with little unused memory. Use
	// it for results that stay in memory for a long time.
	Tight bool
}

const (
	fewest      = 4    // minimum number of elements in an allocation
	few         = 64   // up to this size, an allocation may be twice as large as all earlier slices together
	mostUnknown = 256  // maximum for an allocation if the number of elements is unknown
	mostKnown   = 1024 // maximum for an allocation if the number of elements is known
	mostCounted = 64   // maximum number of elements by which a single long slice increases taken, because later slices may be short
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

// Use makes Take first return the elements of free. They must be zero, and nothing else may
// refer to them.
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
