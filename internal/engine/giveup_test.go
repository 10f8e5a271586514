// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Items that are owned as a whole, like the imagePullSecrets of a Pod, cannot
// lose a key: nothing is uncertain about them.
func TestPruneWholeItems(t *testing.T) {
	scalar := &graph.Node{Scalar: graph.String}
	secret := graph.NewMap([]graph.Field{{Name: "name", Type: scalar}}, &graph.Node{})
	secret.Atomic = true
	list := &graph.Node{List: &graph.List{
		Item:     &graph.Node{Map: secret},
		Relation: graph.Associative,
		Keys:     []graph.Key{{Name: "name"}},
		KeyNames: []string{"name"},
	}}
	object := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "other", Type: scalar}, {Name: "secrets", Type: list}}, &graph.Node{})}
	secrets := func(names ...string) *fieldpath.Set {
		s := fieldpath.NewSet(fieldpath.MakePathOrDie("other"))
		for _, name := range names {
			s.Insert(fieldpath.MakePathOrDie("secrets", fieldpath.KeyByFields("name", name)))
		}
		return s
	}
	merged := map[string]any{"other": "x", "secrets": []any{
		map[string]any{"name": "a"}, map[string]any{"name": "b"}, map[string]any{"name": "c"},
	}}
	for _, test := range []struct {
		last, now, others *fieldpath.Set
		gone              string
	}{
		{secrets("a", "b"), secrets("a", "b"), secrets(), ""},
		{secrets("a", "b"), secrets("a"), secrets(), `.secrets[name="b"]`},
		{secrets("a", "b"), secrets("a"), secrets("b"), ""},
	} {
		gone, ok := GivenUp(object, merged, true, test.last, []*fieldpath.Set{test.now, test.others})
		if !ok {
			t.Errorf("from %v to %v: uncertain", test.last, test.now)
		}
		if got := orEmpty(gone).String(); got != test.gone {
			t.Errorf("from %v to %v: gone is %q, want %q", test.last, test.now, got, test.gone)
		}
	}
}

// orEmpty returns s, or a new empty set for nil.
func orEmpty(s *fieldpath.Set) *fieldpath.Set {
	if s == nil {
		return fieldpath.NewSet()
	}
	return s
}
