// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestIdentities checks that a value that is not a map has no identity in a list with keys,
// even if all keys have defaults.
func TestIdentities(t *testing.T) {
	l := &graph.List{
		Item:     &graph.Node{Map: graph.NewMap(nil, &graph.Node{Scalar: graph.Untyped})},
		Relation: graph.Associative,
		Keys:     []graph.Key{{Name: "name", IfMissing: "TCP"}, {Name: "port"}},
		KeyNames: []string{"name", "port"},
	}
	item := func(name, port any) any { return map[string]any{"name": name, "port": port} }
	for _, test := range []struct {
		x          []any
		n          int
		duplicates bool
	}{
		{[]any{item("a", int64(1)), item("a", int64(2))}, 2, false},
		{[]any{item("a", int64(1)), item("b", 2), item("a", 1.0)}, 3, true},
		{[]any{item("TCP", int64(1)), map[string]any{"port": int64(1)}}, 2, true},
		{[]any{map[string]any{"name": "a"}, item("a", nil)}, 2, false},
		{[]any{item("a", int64(1)), "a", item("a", int64(1))}, 1, false},
		{[]any{nil}, 0, false},
		{[]any{map[any]any{"name": "a"}, map[any]any{"name": "a"}}, 2, true},
	} {
		w := NewWorkspace()
		ids, n := w.PushIdentities(l, test.x)
		if duplicates := w.HasDuplicates(ids); n != test.n || duplicates != test.duplicates {
			t.Errorf("%v: %d have identities, duplicates %v; want %d, %v", test.x, n, duplicates, test.n, test.duplicates)
		}
		w.Done()
	}
}
