// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestHasIdentity checks that an item has an identity if and only if IdentityError returns
// nil. The path element of an item must match this item and no other item. Path elements of
// other kinds must match no item.
func TestHasIdentity(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	open := &graph.Node{Map: graph.NewMap(nil, text)}
	open.Map.Open = true
	keyed := func(strict bool, keys ...graph.Key) *graph.List {
		l := &graph.List{Item: open, Relation: graph.Associative, Keys: keys, Strict: strict}
		for _, k := range keys {
			l.KeyNames = append(l.KeyNames, k.Name)
		}
		return l
	}
	a, b := graph.Key{Name: "a"}, graph.Key{Name: "b", IfMissing: "x"}
	lists := []*graph.List{
		{Item: text, Relation: graph.Associative}, {Item: text, Relation: graph.Atomic},
		keyed(false, a), keyed(true, a), keyed(false, a, b), keyed(true, a, b), keyed(false, b), keyed(true, a, graph.Key{Name: "c"}), keyed(false, a, graph.Key{Name: "c"}),
	}
	items := []any{
		nil, "a", int64(1), true, 1.5, []any{}, map[string]any{}, map[string]any(nil), map[any]any{}, map[any]any{"a": "x"}, map[string]any{"a": "x"},
		map[string]any{"a": "y", "b": "x"}, map[string]any{"a": "y", "b": "z"}, map[string]any{"c": "x"}, map[string]any{"d": "x"}, map[string]any{"a": "x", "c": "z"},
	}
	others := []fieldpath.PathElement{{}, fieldpath.FieldNameElement("a"), fieldpath.IndexElement(0), fieldpath.ValueElement(value.NewValueInterface("no")), *key("no", 1)}
	w := NewWorkspace()
	defer w.Done()
	for i, l := range lists {
		for _, item := range items {
			err := IdentityError(l, item)
			if got := HasIdentity(l, item); got != (err == nil) {
				t.Errorf("list %d, %#v: has identity %v, but %v", i, item, got, err)
			}
			if err != nil {
				continue
			}
			pe := w.Element(l, item)
			if !matchesIdentified(l, &pe, item) {
				t.Errorf("list %d: %v does not name %#v", i, pe, item)
			}
			for _, other := range others {
				if matchesIdentified(l, &other, item) {
					t.Errorf("list %d: %v names %#v", i, other, item)
				}
			}
		}
	}
}
