// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"math"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// TestEqualNumbers checks that numbers of any types are equal if and only if they have the
// same value. Equal numbers must have equal hashes.
func TestEqualNumbers(t *testing.T) {
	groups := [][]any{
		{int64(5), 5.0, 5, int32(5), int16(5), int8(5), uint(5), uint32(5), uint16(5), uint8(5), float32(5)},
		{int64(-5), -5.0, -5, int32(-5), int16(-5), int8(-5), float32(-5)},
		{int64(0), 0.0, math.Copysign(0, -1), 0},
		{int64(math.MaxInt64)}, {float64(1 << 63)}, {int64(math.MinInt64), -float64(1 << 63)}, {math.Ldexp(1, 64)}, {-math.Ldexp(1, 64)},
		{int64(1<<53 + 1)}, {int64(1 << 53), float64(1 << 53)}, {-int64(1<<53 + 1)},
		{1.5, float32(1.5)}, {-1.5}, {math.NaN(), float32(math.NaN())}, {math.Inf(1)}, {math.Inf(-1)},
	}
	for i, x := range groups {
		for _, a := range x {
			for j, y := range groups {
				for _, b := range y {
					if got := equalNumbers(a, b); got != (i == j) {
						t.Errorf("%T %v and %T %v: equal: %v", a, a, b, b, got)
					}
					var e StoredEquality
					if i == j && e.hash(nil, a) != e.hash(nil, b) {
						t.Errorf("%T %v and %T %v: two hashes", a, a, b, b)
					}
				}
			}
		}
	}
}

// TestSameIsNotTooDeep checks deep values whose comparison need not descend. Empty
// containers must be equal at any depth, and a deep container must equal itself.
func TestSameIsNotTooDeep(t *testing.T) {
	m, l := map[string]any{"a": "b"}, []any{"a"}
	for _, c := range []struct {
		a, b any
		same bool
	}{
		{map[string]any{}, map[string]any{}, true}, {m, m, true}, {l, l, true}, {m, map[string]any{"a": "b"}, false}, {l, []any{"a"}, false},
	} {
		e := StoredEquality{DepthLimit: DepthLimit{depth: MaxDepth}}
		if got := e.Equal(nil, c.a, c.b); got != c.same || e.Exceeded == c.same {
			t.Errorf("%v and %v: got %v, too deep is %v", c.a, c.b, got, e.Exceeded)
		}
	}
}

// TestItemThatDoesNotEqualItself compares lists in any order. One item is too deep, so it does not
// even equal itself.
func TestItemThatDoesNotEqualItself(t *testing.T) {
	item := map[any]any{"a": 1}
	e := StoredEquality{IntScratch: &scratch.Stack[int32]{}, DepthLimit: DepthLimit{depth: MaxDepth}}
	if e.sameItems(unknown, []any{item, "b"}, []any{"b", item}) || !e.Exceeded {
		t.Error("a list with an item that is too deep equals another list")
	}
}
