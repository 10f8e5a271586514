// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
)

// withElement is a value to sort by its path element.
type withElement struct{ pe fieldpath.PathElement }

func sort(w *Workspace, things []withElement) {
	SortWithRanks(w, things, func(i int) *fieldpath.PathElement { return &things[i].pe }, func(a, b withElement) int { return a.pe.Compare(b.pe) })
}

// TestSorted checks that sorting by rank gives the same order as comparing. Equal elements
// must keep their order.
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
		for _, n := range []int{1, 2, maxUnranked, maxUnranked + 1, 1000} {
			values := make([]any, n)
			things := make([]withElement, n)
			want := make([]int, n)
			for i := range values {
				want[i], values[i] = i, random()
				v := value.NewValueInterface(values[i])
				things[i].pe = fieldpath.KeyElement(value.Field{Name: "k", Value: v})
			}
			compare := func(i, j int) int { return value.CompareUnstructured(values[i], values[j]) }
			slices.SortStableFunc(want, compare)
			w := NewWorkspace()
			for k, got := range w.sortOrder(n, func(i int) rankSource { return rankSourceOf(values[i]) }, compare) {
				if int(got.at) != want[k] {
					t.Fatalf("%s: %v is at %d, not %v", name, values[got.at], k, values[want[k]])
				}
			}
			sort(w, things)
			if !slices.IsSortedFunc(things, func(a, b withElement) int { return a.pe.Compare(b.pe) }) {
				t.Errorf("%s: %d things are in the wrong order", name, n)
			}
			for k := range things {
				if (*things[k].pe.Key)[0].Value.Unstructured() != values[want[k]] && n > maxUnranked {
					t.Fatalf("%s: the thing at %d is not the one with %v", name, k, values[want[k]])
				}
			}
			w.Done()
		}
	}
}

// TestSortedElements checks that elements of different kinds, which have no rank, are sorted,
// too.
func TestSortedElements(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		things := make([]withElement, 2*maxUnranked)
		for i := range things {
			n := r.IntN(9)
			things[i].pe = []fieldpath.PathElement{
				fieldpath.FieldNameElement(fmt.Sprint(n)),
				fieldpath.KeyElementByFields("a", n),
				fieldpath.KeyElementByFields("b", n),
				fieldpath.KeyElementByFields("a", fmt.Sprint(n), "b", 1),
				fieldpath.KeyElement(),
				fieldpath.ValueElement(value.NewValueInterface(n)),
				fieldpath.IndexElement(n),
			}[r.IntN(7)]
		}
		sort(NewWorkspace(), things)
		if !slices.IsSortedFunc(things, func(a, b withElement) int { return a.pe.Compare(b.pe) }) {
			t.Fatalf("not in order: %v", things)
		}
	}
}

// TestSortedNamesWithCommonSuffix checks that names are sorted correctly if they have common
// parts after their first difference. Only a common prefix may be skipped.
func TestSortedNamesWithCommonSuffix(t *testing.T) {
	var names []string
	fields := make([]withElement, maxUnranked+1)
	for i := range fields {
		name := string([]rune{rune('A' + i), '-', rune('z' - i)})
		names = append(names, name)
		fields[len(fields)-1-i].pe = fieldpath.FieldNameElement(name)
	}
	sort(NewWorkspace(), fields)
	for i, f := range fields {
		if *f.pe.FieldName != names[i] {
			t.Fatalf("%v is at %d, not %v", f.pe, i, names[i])
		}
	}
}
