// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gen creates test cases from a source of numbers: schemas, objects for them, path
// sets, and sequences of operations. The same source gives the same case.
package gen

// Source returns pseudo-random numbers from a seed, or the numbers of a byte string followed by
// zeros. In every choice, zero selects the simplest alternative. So a finite byte string gives
// a finite case.
type Source struct {
	state uint64
	data  []byte
	bytes bool
}

// Seeded returns a source for a seed.
func Seeded(seed uint64) *Source { return &Source{state: seed * 0x9e3779b97f4a7c15} }

// Bytes returns a source that consumes data.
func Bytes(data []byte) *Source { return &Source{data: data, bytes: true} }

// N returns a number in [0,n).
func (s *Source) N(n int) int {
	if n <= 1 {
		return 0
	}
	if s.bytes {
		if len(s.data) == 0 {
			return 0
		}
		b := int(s.data[0])
		s.data = s.data[1:]
		return b % n
	}
	// splitmix64
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	z ^= z >> 31
	return int(z % uint64(n))
}

// Chance returns true with the probability num/den. It returns false if the bytes are used up.
func (s *Source) Chance(num, den int) bool { return s.N(den) >= den-num }

// Pick returns one of the alternatives.
func Pick[T any](s *Source, alternatives ...T) T { return alternatives[s.N(len(alternatives))] }

// weighted returns an index with a probability proportional to its weight.
func (s *Source) weighted(weights ...int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	n := s.N(total)
	for i, w := range weights {
		if n < w {
			return i
		}
		n -= w
	}
	return 0
}
