// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/typed"
)

func TestDifferences(t *testing.T) {
	parser, err := typed.NewParser(`types:
- name: App
  map:
    fields:
    - {name: ports, type: {list: {elementRelationship: associative, keys: [port], elementType: {namedType: Port}}}}
    - {name: tags, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: args, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: size, type: {scalar: numeric}}
    - {name: map, type: {map: {elementType: {scalar: string}}}}
- name: Port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: name, type: {scalar: string}}
`)
	if err != nil {
		t.Fatal(err)
	}
	app := parser.Type("App")
	for _, c := range []struct {
		before, after string
		want          []string
	}{
		{`{}`, `{}`, nil},
		{`{size: 1}`, `{size: 1.0}`, nil},
		{`{size: 1}`, `{size: "1"}`, []string{`.size: 1 -> "1"`}},
		{`{size: 1}`, `{size: null}`, []string{`.size: 1 -> null`}},
		{`{size: 1}`, `{}`, []string{`.size: 1 -> (not set)`}},
		{`{unknown: {a: 1}}`, `{unknown: {b: 1}}`, []string{`.unknown.a: 1 -> (not set)`, `.unknown.b: (not set) -> 1`}},
		{`{}`, `{map: {}}`, []string{`.map: (not set) -> {}`}},
		{`{map: {a: x}}`, `{map: {}}`, []string{`.map: {a: x} -> {}`}},
		{`{map: {}}`, `{map: {a: x}}`, []string{`.map.a: (not set) -> x`}},
		{`{map: {a: x}}`, `{map: x}`, []string{`.map: {a: x} -> x`}},
		{`{ports: [{port: 1, name: a}, {port: 2}]}`, `{ports: [{port: 2, name: b}, {port: 3}]}`,
			[]string{`.ports[port=2].name: (not set) -> b`, `.ports[port=3].port: (not set) -> 3`, `.ports[port=1].name: a -> (not set)`, `.ports[port=1].port: 1 -> (not set)`}},
		{`{ports: [{port: 1}, {port: 2}]}`, `{ports: [{port: 2}, {port: 1}]}`, []string{`.ports: [{port: 1}, {port: 2}] -> [{port: 2}, {port: 1}]`}},
		{`{ports: [{port: 1}, {port: 1}]}`, `{ports: [{port: 1}]}`, []string{`.ports[1].port: 1 -> (not set)`}},
		{`{ports: [{name: a}]}`, `{ports: [{name: b}]}`, []string{`.ports[0].name: a -> b`}},
		{`{tags: [a, b]}`, `{tags: [b, c]}`, []string{`.tags[="c"]: (not set) -> c`, `.tags[="a"]: a -> (not set)`}},
		{`{args: [a, b]}`, `{args: [a, c, d]}`, []string{`.args[1]: b -> c`, `.args[2]: (not set) -> d`}},
		{`{metadata: {managedFields: [x]}}`, `{metadata: {managedFields: [y], generation: 2}}`, []string{`.metadata.generation: (not set) -> 2`}},
	} {
		var got []string
		for _, d := range Differences(app, plain(t, c.before), plain(t, c.after)) {
			got = append(got, fmt.Sprintf("%v: %s -> %s", d.Path, words.ValueOrNone(d.Old, d.HasOld), words.ValueOrNone(d.New, d.HasNew)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s and %s: got %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// Differences must handle deeply nested objects.
func TestDifferencesOfDeepObjects(t *testing.T) {
	nested := func(leaf any) map[string]any {
		for range 9_000 {
			leaf = map[string]any{"a": []any{leaf}}
		}
		return leaf.(map[string]any)
	}
	found := Differences(typed.DeducedParseableType, nested("x"), nested("y"))
	if len(found) != 1 || found[0].Old != "x" || found[0].New != "y" || len(found[0].Path) != 18_000 {
		t.Errorf("got %d differences, want x -> y", len(found))
	}
	if found := Differences(typed.DeducedParseableType, nil, nested("y")); len(found) != 1 {
		t.Errorf("got %d differences of a new object, want 1", len(found))
	}
}

func plain(t *testing.T, text string) map[string]any {
	t.Helper()
	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}
