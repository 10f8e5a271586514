// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package intern

import (
	"fmt"
	"math"
	"runtime"
	"testing"
)

func keep(t *Table[[2]int], v [2]int, hash Hash) *[2]int {
	return t.Keep(&v, hash, func(kept *[2]int) bool { return *kept == v })
}

func TestKeep(t *testing.T) {
	var table Table[[2]int]
	a := keep(&table, [2]int{1, 1}, 7)
	b := keep(&table, [2]int{2, 2}, 7)
	if a == b || keep(&table, [2]int{1, 1}, 7) != a || keep(&table, [2]int{2, 2}, 7) != b {
		t.Error("values with one hash are confused or not found")
	}
	find := func(v [2]int) *[2]int { return table.Find(7, func(kept *[2]int) bool { return *kept == v }) }
	if find([2]int{2, 2}) != b || find([2]int{3, 3}) != nil {
		t.Error("Find misses a value in the table, or returns one that is not")
	}
	kept := []*[2]int{a, b}
	for i := range 100 {
		kept = append(kept, keep(&table, [2]int{i, 0}, 7))
	}
	if n := table.Len(); n != maxProbes {
		t.Errorf("%d values of one hash are in the table, want %d", n, maxProbes)
	}
	runtime.KeepAlive(kept)
}

func TestValuesAreHeldByTheirUsersOnly(t *testing.T) {
	var table Table[[2]int]
	held := keep(&table, [2]int{-1, 0}, math.MaxUint64)
	for round := range 10 {
		for i := range 1000 {
			keep(&table, [2]int{i, round}, Hash(round*1000+i)<<8)
		}
		runtime.GC()
	}
	if n := table.Len(); n > 2100 {
		t.Errorf("%d values are in the table; want those of earlier rounds removed", n)
	}
	if keep(&table, [2]int{-1, 0}, math.MaxUint64) != held {
		t.Error("a value that is in use was removed")
	}
}

// TestTableIsSweptWhenItHasDoubled checks that the number of sweeps grows only with the
// logarithm of the number of values.
func TestTableIsSweptWhenItHasDoubled(t *testing.T) {
	var table Table[[2]int]
	var kept []*[2]int
	sweeps := 0
	for i := range 1000 {
		before := table.sweepAt
		kept = append(kept, keep(&table, [2]int{i, 0}, Hash(i)<<8))
		if table.sweepAt != before {
			sweeps++
		}
	}
	if sweeps != 4 { // the table is swept at 64, 128, 256 and 512 values
		t.Errorf("swept %d times", sweeps)
	}
	runtime.KeepAlive(kept)
}

func TestSamePlain(t *testing.T) {
	nested := func(depth int) any {
		var v any = "x"
		for range depth {
			v = []any{v}
		}
		return v
	}
	values := []any{
		nil, "", "1", false, true, 1, int64(1), uint64(1), 1.0, 0.0, math.Copysign(0, -1), []any(nil), []any{}, []any{nil}, []any{1.0},
		map[string]any(nil), map[string]any{}, map[string]any{"a": nil}, map[string]any{"b": nil}, map[string]any{"a": 1.0}, nested(maxDepth),
	}
	hash := func(v any) (h Hash) {
		h.Plain(v)
		return h
	}
	for i, a := range values {
		for j, b := range values {
			if got := SamePlain(a, b); got != (i == j) {
				t.Errorf("SamePlain(%#v, %#v) is %v", a, b, got)
			}
		}
	}
	again := []any{[]any{1.0, "x"}, map[string]any{"a": nil, "b": 1}}
	for i, v := range []any{[]any{1.0, "x"}, map[string]any{"b": 1, "a": nil}} {
		if !SamePlain(v, again[i]) || hash(v) != hash(again[i]) {
			t.Errorf("%#v and %#v are not the same", v, again[i])
		}
	}
	for _, v := range []any{struct{}{}, []string{"a"}, nested(maxDepth + 1)} {
		if SamePlain(v, v) {
			t.Errorf("SamePlain(%[1]s, %[1]s) = true, want false for unsupported data", fmt.Sprintf("%.20v", v))
		}
	}
}
