// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

const manyFields = `types:
- name: object
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: anything}}
    - {name: data, type: {map: {elementType: {scalar: string}}}}
    - {name: info, type: {map: {elementType: {scalar: string}}}}
    - name: list
      type:
        list:
          elementRelationship: associative
          keys: [name]
          elementType: {map: {fields: [{name: name, type: {scalar: string}}, {name: value, type: {scalar: string}}]}}
- name: anything
  scalar: untyped
  list: {elementType: {namedType: anything}, elementRelationship: atomic}
  map: {elementType: {namedType: anything}}
`

// TestResolveIsLinear checks that the config is changed once for all conflicts. Changing it
// once for each conflict would take minutes.
func TestResolveIsLinear(t *testing.T) {
	const n = 20_000
	p, err := typed.NewParser(manyFields)
	if err != nil {
		t.Fatal(err)
	}
	fm := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return p.Type("object"), nil }})
	object := func(v string) map[string]any {
		data, list := map[string]any{"own": v}, []any{map[string]any{"name": "own"}}
		for i := range n {
			name := fmt.Sprint("k", i*7919%n)
			data[name] = v
			list = append(list, map[string]any{"name": name, "value": v})
		}
		return map[string]any{"apiVersion": "v1", "kind": "Many", "metadata": map[string]any{"name": "x"}, "data": data, "list": list}
	}
	other := object("a")
	delete(other["data"].(map[string]any), "own")
	live, err := fm.Apply(nil, other, "other", false)
	if err != nil {
		t.Fatal(err)
	}
	all := []fieldpath.Path{{}}
	for name, tc := range map[string]struct {
		choices resolve.Choices
		fields  int // number of fields in the data of the config
		value   any // value of each item
	}{
		"yield": {resolve.Choices{Yield: all}, 1, nil},
		"share": {resolve.Choices{Share: all}, n + 1, "a"},
	} {
		got, err := resolve.New(fm, live.Object, object("b"), "you").Apply(tc.choices)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got.Resolutions) != 2*n {
			t.Errorf("%s: %d conflicts are resolved", name, len(got.Resolutions))
		}
		data, list := got.Config["data"].(map[string]any), got.Config["list"].([]any)
		if len(data) != tc.fields || data["own"] != "b" || len(list) != n+1 || list[7].(map[string]any)["value"] != tc.value {
			t.Errorf("%s: %d fields and %d items are applied, %v", name, len(data), len(list), list[7])
		}
	}
}
