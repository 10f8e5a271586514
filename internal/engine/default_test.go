// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestDefaultIsBounded checks that the limit counts all values that defaults add to an
// object, including the values inside a default.
func TestDefaultIsBounded(t *testing.T) {
	half := make([]any, 1<<13)
	whole := make([]any, 1<<14)
	for name, def := range map[string]any{
		"a list": whole, "a map": map[string]any{"a": half, "b": half}, "a map of any keys": map[any]any{"a": half, "b": half},
	} {
		anything := &graph.Node{Scalar: graph.Untyped, Nullable: true}
		item := fieldsOf(false, graph.Field{Name: "x", Type: anything, Default: def})
		list := &graph.Node{List: &graph.List{Item: item, Relation: graph.Atomic}}
		graph.FindFacts([]*graph.Node{anything, item, item.Map.Elem, list})
		items := func(n int) []any {
			out := make([]any, n)
			for i := range out {
				out[i] = map[string]any{}
			}
			return out
		}
		if out, changed, findings := Default(list, items(63), false, 0); findings != nil || !changed || len(data.AsMap(data.AsList(out)[62])) != 1 {
			t.Errorf("%s, 63 times: changed %v, %v", name, changed, findings)
		}
		if _, _, findings := Default(list, items(65), false, 0); len(findings) != 1 || !strings.Contains(findings[0].Message, "defaults add more than") {
			t.Errorf("%s, 65 times: %v", name, findings)
		}
	}
}
