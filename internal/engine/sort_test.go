// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
)

// Things with ranks come in the order that comparing them gives, and those that are
// equal in the order they had.
func TestSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := func(prefix string) func() any {
		return func() any {
			return prefix + []string{"", "a", "a\x00", "a\x00\x00b", "ab", "\xff\xff", "12345678", "123456789", "123456780", fmt.Sprint(r.IntN(500))}[r.IntN(10)]
		}
	}
	kinds := map[string]func() any{
		"texts":             texts(""),
		"texts, one prefix": texts("elem-00000000"),
		"integers":          func() any { return r.Int64N(20) - 10 },
		"far integers":      func() any { return int64(r.Uint64()) },
		"floats":            func() any { return float64(r.IntN(9)) / 2 },
		"mixed":             func() any { return []any{int64(1), 1.0, "1", true, nil, "", int64(-1)}[r.IntN(7)] },
	}
	for name, random := range kinds {
		for _, n := range []int{1, 2, fewRanked, fewRanked + 1, 1000} {
			values := make([]any, n)
			changes, fields := make([]change, n), make([]entry, n)
			want := make([]int, n)
			for i := range values {
				want[i], values[i] = i, random()
				v := value.NewValueInterface(values[i])
				changes[i] = change{pe: fieldpath.KeyElement(value.Field{Name: "k", Value: v})}
				text := fmt.Sprint(values[i])
				fields[i] = entry{pe: fieldpath.FieldNameElement(text), at: int32(i)}
			}
			compare := func(i, j int) int { return value.CompareUnstructured(values[i], values[j]) }
			slices.SortStableFunc(want, compare)
			w := newWalker()
			for k, got := range w.sorted(n, func(i int) lead { return leadOf(values[i]) }, compare) {
				if int(got.at) != want[k] {
					t.Fatalf("%s: %v is at %d, not %v", name, values[got.at], k, values[want[k]])
				}
			}
			w.sortChanges(changes)
			if !slices.IsSortedFunc(changes, func(a, b change) int { return a.pe.Compare(b.pe) }) {
				t.Errorf("%s: %d changes are in another order", name, n)
			}
			for k := range changes {
				if (*changes[k].pe.Key)[0].Value.Unstructured() != values[want[k]] && n > fewRanked {
					t.Fatalf("%s: the change at %d is not that of %v", name, k, values[want[k]])
				}
			}
			w.sortFields(fields)
			seen := make([]bool, n)
			for k, f := range fields {
				if k > 0 && fields[k-1].pe.Compare(f.pe) > 0 {
					t.Fatalf("%s: field %v is in front of %v", name, fields[k-1].pe, f.pe)
				}
				seen[f.at] = true
			}
			if slices.Contains(seen, false) {
				t.Errorf("%s: a field was lost", name)
			}
			w.done()
		}
	}
}
