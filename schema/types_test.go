// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

func TestTransitionsOfPlacesAndTypes(t *testing.T) {
	const text = `types:
- name: root
  map:
    fields:
    - {name: free, type: {namedType: plain}}
    - {name: place, type: {namedType: plain, transition: additionOnly}}
    - {name: inlined, type: {scalar: string, transition: setOnce}}
    - {name: type, type: {namedType: marked}}
    - {name: nullable, type: {namedType: marked, nullable: true}}
    - {name: both, type: {namedType: marked, transition: immutable}}
    - {name: deletion, type: {namedType: plain, transition: deletionOnly}}
- {name: plain, map: {elementType: {scalar: string}}}
- {name: marked, map: {elementType: {scalar: string}}, transition: immutableKeys}
`
	var s schema.Schema
	if err := yaml.UnmarshalStrict([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	name := "root"
	root := compiled.Node(&s, schema.TypeRef{NamedType: &name})
	for field, want := range map[string]graph.Transition{
		"free":     graph.Free,
		"place":    graph.AdditionOnly,
		"inlined":  graph.SetOnce,
		"type":     graph.ImmutableKeys,
		"nullable": graph.ImmutableKeys,
		"both":     graph.Immutable,
		"deletion": graph.DeletionOnly,
	} {
		if got := root.Map.Field(field).Type.Transition; got != want {
			t.Errorf("%s: got %d, want %d", field, got, want)
		}
	}
	if a, b := root.Map.Field("free").Type, root.Map.Field("place").Type; a.Map != b.Map {
		t.Error("variants do not share their map")
	}
	if !root.HasTransitions || root.Map.Field("free").Type.HasTransitions {
		t.Error("types with transitions are not marked")
	}
}

// TestTransitionsAreThoseOfTheGraph checks that each transition rule has the same number in the
// packages schema and graph.
func TestTransitionsAreThoseOfTheGraph(t *testing.T) {
	named := map[schema.Transition]graph.Transition{
		schema.NoTransition: graph.Free, schema.Immutable: graph.Immutable, schema.ImmutableKeys: graph.ImmutableKeys,
		schema.AdditionOnly: graph.AdditionOnly, schema.DeletionOnly: graph.DeletionOnly, schema.SetOnce: graph.SetOnce,
	}
	if len(schema.Transitions())+1 != len(named) {
		t.Errorf("%d rules, and %d are named here", len(schema.Transitions()), len(named)-1)
	}
	for ours, theirs := range named {
		if graph.Transition(ours) != theirs || ours.String() != theirs.Rule().Name || ours.Extension() != theirs.Rule().Extension {
			t.Errorf("%d is another rule than %d", ours, theirs)
		}
	}
}

func TestTransitionsHaveOneSpelling(t *testing.T) {
	for _, text := range []string{
		"types: [{name: a, scalar: string, transition: Immutable}]",
		"types: [{name: a, list: {elementType: {scalar: string, transition: once}}}]",
	} {
		var s schema.Schema
		err := yaml.Unmarshal([]byte(text), &s)
		if err == nil || !strings.Contains(err.Error(), "transition: expected immutable, immutableKeys, additionOnly, deletionOnly or setOnce, got") {
			t.Errorf("%s: %v", text, err)
		}
	}
	lit := schema.TypeRef{Inlined: schema.Atom{Scalar: new(schema.Scalar)}, Transition: 99}
	if n := compiled.Node(&schema.Schema{}, lit); n.Transition != graph.Free || n.HasTransitions {
		t.Error("an unknown name is accepted")
	}
}

// TestPinnedTypesKeepTransitions checks that pinned types keep the transition rules of the
// original types.
func TestPinnedTypesKeepTransitions(t *testing.T) {
	text := func(def string) *schema.Schema {
		var s schema.Schema
		err := yaml.UnmarshalStrict([]byte(`types:
- name: root
  map: {fields: [{name: l, type: {namedType: list, transition: additionOnly}}]}
- name: list
  list: {elementRelationship: associative, keys: [k], elementType: {namedType: item}}
- name: item
  transition: immutable
  map: {fields: [{name: k, type: {scalar: string}, default: `+def+`}]}
`), &s)
		if err != nil {
			t.Fatal(err)
		}
		return &s
	}
	name := "root"
	ref := schema.TypeRef{NamedType: &name}
	pinned, at := text("new").PinKeys(ref, text("old"), ref)
	l := compiled.Node(pinned, at).Map.Field("l").Type
	if l.List.Keys[0].IfMissing != "old" {
		t.Fatal("the key is not pinned")
	}
	if l.Transition != graph.AdditionOnly || l.List.Item.Transition != graph.Immutable {
		t.Errorf("the list is %d, its items %d", l.Transition, l.List.Item.Transition)
	}
}

// TestTransitionsHaveTheNumbersOfTheTable checks that the constants of transition rules have the
// same numbers as in the table of package graph.
func TestTransitionsHaveTheNumbersOfTheTable(t *testing.T) {
	for public, rule := range map[schema.Transition]graph.Transition{
		schema.NoTransition: graph.Free, schema.Immutable: graph.Immutable, schema.ImmutableKeys: graph.ImmutableKeys,
		schema.AdditionOnly: graph.AdditionOnly, schema.DeletionOnly: graph.DeletionOnly, schema.SetOnce: graph.SetOnce,
	} {
		if uint8(public) != uint8(rule) {
			t.Errorf("%v has the number %d, in the table %d", public, public, rule)
		}
	}
}
