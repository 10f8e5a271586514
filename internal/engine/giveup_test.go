// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestGivenUpAtomicItems checks atomic items, such as the imagePullSecrets of a Pod.
// Atomic items cannot lose a key, so FindGivenUp must return true for ok.
func TestGivenUpAtomicItems(t *testing.T) {
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
		gone, ok := FindGivenUp(object, merged, true, test.last, []*fieldpath.Set{test.now, test.others})
		if !ok {
			t.Errorf("from %v to %v: uncertain", test.last, test.now)
		}
		if got := orEmpty(gone).String(); got != test.gone {
			t.Errorf("from %v to %v: gone is %q, want %q", test.last, test.now, got, test.gone)
		}
	}
}

// orEmpty returns s, or a new empty set if s is nil.
func orEmpty(s *fieldpath.Set) *fieldpath.Set {
	if s == nil {
		return fieldpath.NewSet()
	}
	return s
}

// TestGivenUpWithEmptyLists checks lists whose items contain empty lists, which have no
// paths. FindGivenUp must not return ok if only such items may remain in a list. It must
// return ok if a manager owns one of the items.
func TestGivenUpWithEmptyLists(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	texts := &graph.Node{List: &graph.List{Item: text, Relation: graph.Associative}}
	item := fieldsOf(false, graph.Field{Name: "name", Type: text}, graph.Field{Name: "texts", Type: texts})
	list := &graph.Node{List: &graph.List{Item: item, Relation: graph.Associative, Keys: []graph.Key{{Name: "name"}}, KeyNames: []string{"name"}}}
	n := fieldsOf(false, graph.Field{Name: "items", Type: list})
	graph.FindFacts([]*graph.Node{text, texts, item, item.Map.Elem, list, n, n.Map.Elem})
	v := map[string]any{"items": []any{map[string]any{"name": "a", "texts": []any{}}, map[string]any{"name": "b"}}}
	of := func(names ...string) *fieldpath.Set {
		s := fieldpath.NewSet(fieldpath.MakePathOrDie("items"))
		for _, name := range names {
			key := fieldpath.KeyByFields("name", name)
			s.Insert(fieldpath.MakePathOrDie("items", key))
			s.Insert(fieldpath.MakePathOrDie("items", key, "name"))
		}
		return s
	}
	a, b := fieldpath.MakePathOrDie("items", fieldpath.KeyByFields("name", "a")), fieldpath.MakePathOrDie("items", fieldpath.KeyByFields("name", "b"))
	for name, c := range map[string]struct {
		noPathless bool
		keep       *fieldpath.Set
		want       *fieldpath.Set
		ok         bool
	}{
		"all items":            {false, of("a", "b"), fieldpath.NewSet(), true},
		"an item":              {false, of("a"), fieldpath.NewSet(b), true},
		"none":                 {false, of(), nil, false},
		"none, no empty lists": {true, of(), fieldpath.NewSet(a, b), true},
	} {
		got, ok := FindGivenUp(n, v, c.noPathless, of("a", "b"), []*fieldpath.Set{c.keep})
		if ok != c.ok || ok && !orEmpty(got).Equals(c.want) {
			t.Errorf("an applier that keeps %s gives up %v, %v, want %v, %v", name, got, ok, c.want, c.ok)
		}
	}
}
