// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scratch

import (
	"math/rand"
	"slices"
	"testing"
)

// TestSlabIsLikeMake checks that a slab returns the same slices as make, for any expected
// total size. A slice must have the requested number of zero elements and no spare capacity.
// Nothing else may refer to it.
func TestSlabIsLikeMake(t *testing.T) {
	for seed := range int64(200) {
		rnd := rand.New(rand.NewSource(seed))
		var s Slab[int]
		var pieces [][]int
		for i := range 100 {
			n := rnd.Intn(6)
			switch rnd.Intn(20) {
			case 0:
				n = rnd.Intn(2000)
			case 1:
				s.Expect(rnd.Intn(5000))
			case 2:
				s.Use(make([]int, rnd.Intn(8)))
			}
			piece := s.Take(n)
			if want := make([]int, n); !slices.Equal(piece, want) || cap(piece) != cap(want) || (n == 0) != (piece == nil) {
				t.Fatalf("seed %d: %d elements with room for %d, want %d zeroes: %v", seed, len(piece), cap(piece), n, piece)
			}
			for k := range piece {
				piece[k] = i + 1
			}
			pieces = append(pieces, piece)
		}
		for i, piece := range pieces {
			for _, v := range piece {
				if v != i+1 {
					t.Fatalf("seed %d: piece %d shares memory with piece %d", seed, i, v-1)
				}
			}
		}
	}
}

// TestSlabAllocates checks that many small slices need few allocations, and even fewer if
// the number of slices is known. No allocation may be larger than the elements that were
// taken.
func TestSlabAllocates(t *testing.T) {
	allocations := func(expect, n, size int) float64 {
		return testing.AllocsPerRun(10, func() {
			var s Slab[*int]
			s.Expect(expect)
			for range n {
				s.Take(size)
			}
		})
	}
	for _, c := range []struct {
		expect, n, size int
		most            float64
	}{
		{0, 1, 1, 1}, {0, 4, 1, 1}, {0, 1000, 1, 10}, {0, 100, 3, 10}, {0, 3, 1000, 3},
		{1000, 1000, 1, 1}, {3000, 1000, 3, 4}, {5000, 5, 1000, 5},
	} {
		if got := allocations(c.expect, c.n, c.size); got > c.most {
			t.Errorf("%d pieces of %d, %d elements expected: %v allocations, want %v", c.n, c.size, c.expect, got, c.most)
		}
	}
	tight := Slab[*int]{Tight: true}
	room := 0
	for range 1000 {
		before := len(tight.free)
		if tight.One(); len(tight.free) >= before {
			room += len(tight.free) + 1
		}
	}
	if room > 1250 {
		t.Errorf("1000 pieces of 1 take room for %d", room)
	}
	var s Slab[int]
	s.Take(5000)
	if s.One(); len(s.free) >= mostCounted {
		t.Errorf("after one long piece there is room for %d more", len(s.free))
	}
}
