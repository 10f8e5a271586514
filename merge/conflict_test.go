// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"maps"
	"math/rand"
	"slices"
	"strconv"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
)

func TestConflictEquals(t *testing.T) {
	a := merge.Conflict{Manager: "a", Path: fieldpath.MakePathOrDie("x", "y")}
	for _, c := range []struct {
		other merge.Conflict
		want  bool
	}{
		{merge.Conflict{Manager: "a", Path: fieldpath.MakePathOrDie("x", "y")}, true},
		{merge.Conflict{Manager: "b", Path: fieldpath.MakePathOrDie("x", "y")}, false},
		{merge.Conflict{Manager: "a", Path: fieldpath.MakePathOrDie("x")}, false},
	} {
		if a.Equals(c.other) != c.want || c.other.Equals(a) != c.want {
			t.Errorf("%v: want %v", c.other, c.want)
		}
	}
}

// TestConflictsFromManagers checks that conflicts have the paths of each set, in the order of
// Iterate. The paths must not share memory: appending to one path must not change another
// path.
func TestConflictsFromManagers(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	if got := merge.ConflictsFromManagers(nil); got == nil || len(got) > 0 {
		t.Errorf("without sets: got %#v", got)
	}
	for range 200 {
		sets := fieldpath.ManagedFields{}
		for i := range 3 {
			set := fieldpath.NewSet()
			for range random.Intn(40) {
				var path fieldpath.Path
				for range 1 + random.Intn(20) {
					path = append(path, fieldpath.MakePathOrDie(strconv.Itoa(random.Intn(3)))...)
				}
				set.Insert(path)
			}
			sets[strconv.Itoa(i)] = fieldpath.NewVersionedSet(set, "v1", false)
		}
		var want []string
		for _, manager := range slices.Sorted(maps.Keys(sets)) {
			sets[manager].Set().Iterate(func(path fieldpath.Path) { want = append(want, manager+path.String()) })
		}
		conflicts := merge.ConflictsFromManagers(sets)
		for _, c := range conflicts {
			_ = append(c.Path, fieldpath.MakePathOrDie("more")...)
		}
		var got []string
		for _, c := range conflicts {
			got = append(got, c.Manager+c.Path.String())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}
