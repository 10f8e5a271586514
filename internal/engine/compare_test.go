// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Where null and the default mean the same, nothing differs; but only what is stored
// alike is untouched.
func TestCompareOfWhatMeansTheSame(t *testing.T) {
	text := &graph.Node{Scalar: graph.String, Declarative: true, Transition: graph.Immutable}
	n := fieldsOf(false, graph.Field{Name: "x", Type: text, Default: "d"})
	n.Declarative = true
	graph.Mark([]*graph.Node{text, n, n.Map.Elem})
	null, written, none := map[string]any{"x": nil}, map[string]any{"x": "d"}, map[string]any{}
	for _, c := range []struct {
		left, right map[string]any
		untouched   bool
	}{
		{null, map[string]any{"x": nil}, true},
		{written, map[string]any{"x": "d"}, true},
		{null, written, false}, {written, null, false},
		{null, none, false}, {none, null, false}, {written, none, false}, {none, written, false},
	} {
		for _, facts := range []Facts{0, Valid | Unique} {
			out, untouched, wrong := Compare(n, c.left, c.right, facts)
			if wrong != nil || !out.Removed.Empty() || !out.Modified.Empty() || !out.Added.Empty() || untouched != c.untouched {
				t.Errorf("%v and %v, facts %d: got %v, untouched %v, %v", c.left, c.right, facts, out, untouched, wrong)
			}
		}
	}
}

// fieldsOf is a map with these fields.
func fieldsOf(atomic bool, fields ...graph.Field) *graph.Node {
	n := &graph.Node{Map: graph.NewMap(fields, &graph.Node{})}
	n.Map.Atomic = atomic
	return n
}
