// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// TestComparePaths checks that comparePaths sorts paths into the order in which a
// fieldpath.Set returns the same paths.
func TestComparePaths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []any{"a", "b", "c", fieldpath.KeyByFields("k", 1), fieldpath.KeyByFields("k", 2), 0, 1}
	for range 200 {
		set := fieldpath.NewSet()
		for range 12 {
			path := make([]any, r.IntN(4))
			for i := range path {
				path[i] = parts[r.IntN(len(parts))]
			}
			if len(path) > 0 { // a set has no path to its root
				set.Insert(fieldpath.MakePathOrDie(path...))
			}
		}
		var want []fieldpath.Path
		for p := range set.All() {
			want = append(want, p.Copy())
		}
		got := slices.Clone(want)
		r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, comparePaths)
		if !slices.EqualFunc(got, want, fieldpath.Path.Equals) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	}
	root := fieldpath.Path{}
	if below := fieldpath.MakePathOrDie("a"); comparePaths(root, below) >= 0 || comparePaths(below, root) <= 0 {
		t.Error("the root does not come first")
	}
}
