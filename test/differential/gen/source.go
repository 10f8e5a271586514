// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gen creates random test cases: schemas, objects, sets of paths, and sequences of
// operations. The same random numbers give the same case.
package gen

// Source returns pseudo-random numbers from a seed, or numbers from a string of bytes. After
// the last byte, it returns zeros. Zero always selects the simplest alternative, so every
// string gives a finite case.
type Source struct {
	state uint64
	data  []byte
	bytes bool
}

// Seeded returns a source of pseudo-random numbers for a seed.
func Seeded(seed uint64) *Source { return &Source{state: seed * 0x9e3779b97f4a7c15} }

// Bytes returns a source that takes its numbers from data.
func Bytes(data []byte) *Source { return &Source{data: data, bytes: true} }

// N returns a number from 0 to n-1.
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
	// This is the generator splitmix64.
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	z ^= z >> 31
	return int(z % uint64(n))
}

// Chance returns true with the probability num/den. After the last byte, it returns false.
func (s *Source) Chance(num, den int) bool { return s.N(den) >= den-num }

// Pick returns one of the alternatives at random.
func Pick[T any](s *Source, alternatives ...T) T { return alternatives[s.N(len(alternatives))] }

// weighted returns a random index. Its probability is proportional to the weight.
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
