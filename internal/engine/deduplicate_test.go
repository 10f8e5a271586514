// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestDeduplicateIndexes checks that the path of a duplicate inside an item without an identity has
// the index of this item in the original list.
func TestDeduplicateIndexes(t *testing.T) {
	item := fieldsOf(false, graph.Field{Name: "k", Type: anyScalar}, graph.Field{Name: "s", Type: set})
	list := &graph.Node{List: &graph.List{Item: item, Relation: graph.Associative, Keys: []graph.Key{{Name: "k"}}}}
	twice := map[string]any{"s": items("p p")}
	for _, c := range []struct {
		in   []any
		last bool
		want string
	}{
		{[]any{map[string]any{"k": "a"}, map[string]any{"k": "a"}, twice}, false, `[2].s[="p"]`},
		{[]any{map[string]any{"k": "a"}, twice, map[string]any{"k": "a"}}, true, `[1].s[="p"]`},
		{[]any{map[string]any{"k": "a"}, twice}, false, `[1].s[="p"]`},
	} {
		_, removed, findings := Deduplicate(list, c.in, c.last)
		if findings != nil || len(removed) == 0 || removed[0].Path.String() != c.want && removed[len(removed)-1].Path.String() != c.want {
			t.Errorf("%v: got %v, %v, want %s", c.in, removed, findings, c.want)
		}
	}
}

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
