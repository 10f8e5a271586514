// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package document

import (
	"math/rand/v2"
	"testing"
)

// TestOutlineIsItsValue checks that comparing an outline gives the same result as comparing
// the value.
func TestOutlineIsItsValue(t *testing.T) {
	same, other := 0, 0
	for seed := range uint64(50000) {
		r := rand.New(rand.NewPCG(seed/2, 1))
		a := randomValue(r, 3)
		if seed%2 == 0 {
			r = rand.New(rand.NewPCG(seed/2, 1)) // two equal seeds give two equal values
		}
		b := randomValue(r, 3)
		if m, ok := b.(map[string]any); ok && r.IntN(2) == 0 && len(m) > 0 {
			m["a"] = randomValue(r, 2)
		}
		o, want := OutlineOf(a), Equal(a, b)
		if got := o.Equal(b); got != want {
			t.Fatalf("%d: %v, want %v, of\n%#v\nand\n%#v", seed, got, want, a, b)
		}
		if want {
			same++
		} else {
			other++
		}
	}
	if same < 5000 || other < 5000 {
		t.Errorf("too few cases: %d are the same, %d are not", same, other)
	}
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n < 4 && depth > 0:
		m := map[string]any{}
		for range r.IntN(4) {
			m[string(rune('a'+r.IntN(4)))] = randomValue(r, depth-1)
		}
		return m
	case n == 4 && depth > 0:
		list := []any{}
		for range r.IntN(3) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	}
	return []any{nil, "a", int64(1), 1.0, true, map[string]any(nil), map[string]any{}, []any(nil), []any{}}[r.IntN(9)]
}
