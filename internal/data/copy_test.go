// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestCopy checks that a copy shares only scalars and atomic containers, and that a deep
// copy shares no container.
func TestCopy(t *testing.T) {
	free := &graph.Node{Scalar: graph.Untyped}
	free.Map = graph.NewMap(nil, free)
	free.Map.Open = true
	free.List = &graph.List{Item: free, Relation: graph.Associative}
	whole := &graph.Node{Map: graph.NewMap(nil, free), List: &graph.List{Item: free, Relation: graph.Atomic}}
	whole.Map.Open, whole.Map.Atomic = true, true
	of := func(n *graph.Node) *graph.Node {
		return &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "x", Type: n}}, free)}
	}
	below := func(v any) any { return map[string]any{"x": v} }
	for _, c := range []struct {
		n      *graph.Node
		v      any
		shared bool
	}{
		{free, map[string]any{"a": "b"}, false},
		{free, []any{"a"}, false},
		{free, map[any]any{"a": "b"}, false},
		{whole, map[string]any{"a": map[string]any{"b": "c"}}, true},
		{whole, map[string]any{"a": map[any]any{1: "c"}}, true},
		{whole, map[any]any{"a": "b"}, true},
		{whole, []any{map[string]any{"a": "b"}}, true},
		{&graph.Node{Scalar: graph.String}, map[string]any{"a": "b"}, true},
	} {
		for _, deep := range []bool{false, true} {
			for name, copied := range map[string]any{"value": Copy(c.n, c.v, deep), "field": AsMap(Copy(of(c.n), below(c.v), deep))["x"], "as it is": CopyAsIs(c.n, c.v, deep)} {
				if got, want := SameMemory(copied, c.v), c.shared && !deep; got != want {
					t.Errorf("%v, %s, deep %v: shared is %v", c.v, name, deep, got)
				}
				if want := c.v; name == "as it is" || c.shared {
					if !reflect.DeepEqual(copied, want) {
						t.Errorf("%v, %s, deep %v: got %v", c.v, name, deep, copied)
					}
				}
			}
		}
	}
}
