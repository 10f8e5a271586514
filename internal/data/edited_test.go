// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"maps"
	"reflect"
	"testing"
)

// TestEditedMap checks that edits change a copy and leave the original map unchanged.
func TestEditedMap(t *testing.T) {
	for size := range 20 {
		was := map[string]any{}
		for i := range size {
			was[fmt.Sprint("f", i)] = i
		}
		before, want := maps.Clone(was), maps.Clone(was)
		e := EditedMap{Map: was}
		for i, name := range []string{"f0", "f3", "new", "f7", "f0"} {
			e.Put(name, -i)
			want[name] = -i
		}
		e.Delete("f1")
		delete(want, "f1")
		got, changed := e.Of(was)
		if !changed || !reflect.DeepEqual(got, any(want)) {
			t.Errorf("%d entries: got %v, want %v", size, got, want)
		}
		if !maps.Equal(was, before) {
			t.Errorf("%d entries: the map itself is now %v", size, was)
		}
	}
}

// TestPutInFullMap checks that Put in a full map needs no more memory than copying the map.
// Without the deletion in Put, Go would convert the map to a larger table.
func TestPutInFullMap(t *testing.T) {
	was := map[string]any{}
	for i := range fullGroup {
		was[fmt.Sprint("f", i)] = "x"
	}
	var v any = "y"
	var copied map[string]any
	clone := testing.AllocsPerRun(100, func() { copied = maps.Clone(was) })
	put := testing.AllocsPerRun(100, func() {
		e := EditedMap{Map: was}
		e.Put("f3", v)
		e.Put("f4", v)
	})
	if put > clone || len(copied) != fullGroup {
		t.Errorf("to put in a full map takes %v allocations, to copy it %v", put, clone)
	}
}
