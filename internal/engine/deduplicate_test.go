// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestDeduplicateLists checks that items with the same identity become one. Items of an
// atomic list have no identity, so they stay.
func TestDeduplicateLists(t *testing.T) {
	block := &graph.Node{List: &graph.List{Item: anyScalar, Relation: graph.Atomic}}
	for _, c := range []struct {
		n        *graph.Node
		in, want string
	}{
		{set, "a b a", "a b"}, {set, "a b", "a b"}, {set, "a", "a"}, {block, "a b a", "a b a"}, {block, "a a", "a a"},
	} {
		got, removed, findings := Deduplicate(c.n, items(c.in), false)
		if findings != nil || !reflect.DeepEqual(got, any(items(c.want))) || (len(removed) == 0) != (c.in == c.want) {
			t.Errorf("%s: got %v, %v, %v, want %s", c.in, got, removed, findings, c.want)
		}
	}
}
