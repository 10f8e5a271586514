// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
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
