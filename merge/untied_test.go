// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestResultIsWritable checks that callers may modify the granular maps of the returned
// object, including empty maps and maps in lists. If the config and the live object have
// the same atomic value, the returned object shares this value with the live object.
func TestResultIsWritable(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: t
  map:
    fields:
    - {name: num, type: {scalar: numeric}}
    - {name: m, type: {namedType: m}}
    - {name: l, type: {list: {elementRelationship: associative, keys: [k], elementType: {map: {fields: [{name: k, type: {scalar: string}}, {name: m, type: {namedType: m}}]}}}}}
    - {name: a, type: {map: {elementType: {scalar: string}, elementRelationship: atomic}}}
- name: m
  map: {elementType: {scalar: string}}
`)
	if err != nil {
		t.Fatal(err)
	}
	object := func(text string) map[string]any {
		var o map[string]any
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	const both = `"m":{},"l":[{"k":"a","m":{}}],"a":{"x":"1"}`
	for _, tc := range []struct{ live, config string }{
		{"{" + both + "}", `{"num":1,` + both + "}"}, {"{" + both + "}", `{"num":1}`}, {`{"num":1}`, "{" + both + "}"},
	} {
		live, config := object(tc.live), object(tc.config)
		typ := p.Type("t")
		lhs, err := typ.FromUnstructured(live)
		if err != nil {
			t.Fatal(err)
		}
		rhs, err := typ.FromUnstructured(config)
		if err != nil {
			t.Fatal(err)
		}
		updater := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
		applied, _, err := updater.Apply(lhs, rhs, "v1", fieldpath.ManagedFields{}, "a", false)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := lhs.Merge(rhs)
		if err != nil {
			t.Fatal(err)
		}
		for _, tv := range []*typed.TypedValue{applied, merged} {
			got := tv.AsValue().Unstructured().(map[string]any)
			got["m"].(map[string]any)["new"] = "x"
			got["l"].([]any)[0].(map[string]any)["m"].(map[string]any)["new"] = "x"
		}
		if !reflect.DeepEqual(live, object(tc.live)) || !reflect.DeepEqual(config, object(tc.config)) {
			t.Errorf("live is now %v, the config %v", live, config)
		}
	}
}

// TestResultSharesNoEmptyMapWithConfig checks that an empty map replaces the nil map of a live Go
// struct with a new map. If the caller modifies the map in the returned object, the config must not
// change.
func TestResultSharesNoEmptyMapWithConfig(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: t
  map:
    fields:
    - {name: data, type: {map: {elementType: {scalar: string}}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	live := &struct {
		Data map[string]string `json:"data"`
	}{}
	config := map[string]any{"data": map[string]any{}}
	lhs, err := p.Type("t").FromStructured(live)
	if err != nil {
		t.Fatal(err)
	}
	rhs, err := p.Type("t").FromUnstructured(config)
	if err != nil {
		t.Fatal(err)
	}
	updater := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
	applied, _, err := updater.Apply(lhs, rhs, "v1", fieldpath.ManagedFields{}, "a", false)
	if err != nil {
		t.Fatal(err)
	}
	got := applied.AsValue().Unstructured().(map[string]any)
	got["data"].(map[string]any)["new"] = "x"
	if len(config["data"].(map[string]any)) > 0 || live.Data != nil {
		t.Errorf("live is now %v, the config %v", live, config)
	}
}
