// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestRemoveWithEmptyParts checks that a part of a set that has no paths has no effect,
// wherever it is in the set.
func TestRemoveWithEmptyParts(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	whole := fieldsOf(true, graph.Field{Name: "x", Type: text})
	n := fieldsOf(false,
		graph.Field{Name: "m", Type: fieldsOf(false, graph.Field{Name: "whole", Type: whole}, graph.Field{Name: "x", Type: text})},
		graph.Field{Name: "text", Type: text}, graph.Field{Name: "whole", Type: whole})
	object := func() any {
		return map[string]any{"m": map[string]any{"whole": map[string]any{"x": "a"}, "x": "a"}, "text": "a", "whole": map[string]any{"x": "a"}}
	}
	in := func(s *fieldpath.Set, names ...string) {
		for _, name := range names {
			s = s.Children.Descend(fieldpath.FieldNameElement(name))
		}
	}
	for _, parts := range [][]string{{"whole"}, {"m"}, {"m", "whole"}, {"text"}} {
		set := fieldpath.NewSet()
		in(set, parts...)
		if got := Remove(n, object(), set); !reflect.DeepEqual(got, object()) {
			t.Errorf("removing the empty part %v: got %v", parts, got)
		}
		if got := Extract(n, object(), set); got != nil {
			t.Errorf("extracting the empty part %v: got %v", parts, got)
		}
		set.Insert(fieldpath.MakePathOrDie("text"))
		want := object().(map[string]any)
		delete(want, "text")
		if got := Remove(n, object(), set); !reflect.DeepEqual(got, want) {
			t.Errorf("removing text and the empty part %v: got %v", parts, got)
		}
		if got, want := Extract(n, object(), set), any(map[string]any{"text": "a"}); !reflect.DeepEqual(got, want) {
			t.Errorf("extracting text and the empty part %v: got %v", parts, got)
		}
	}
}
