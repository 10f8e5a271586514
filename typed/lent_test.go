// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
)

// What is merged into a lent value stays shared with it when it is untied; what is
// merged into another one does not, and nothing is written to either.
func TestLent(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: t
  map:
    fields:
    - {name: kept, type: {map: {elementType: {scalar: string}}}}
    - {name: changed, type: {map: {elementType: {scalar: string}}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, lent := range []bool{false, true} {
		live := map[string]any{"kept": map[string]any{"a": "1"}, "changed": map[string]any{"b": "1"}}
		tv, err := p.Type("t").FromUnstructured(live)
		if err != nil {
			t.Fatal(err)
		}
		if lent {
			tv = tv.Lent()
		}
		config, err := p.Type("t").FromUnstructured(map[string]any{"changed": map[string]any{"b": "2"}})
		if err != nil {
			t.Fatal(err)
		}
		out, changed, err := tv.Overlay(config)
		if err != nil || !changed {
			t.Fatalf("changed %v, %v", changed, err)
		}
		got := out.Untied().AsValue().Unstructured().(map[string]any)
		want := map[string]any{"kept": map[string]any{"a": "1"}, "changed": map[string]any{"b": "2"}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("lent %v: got %v, want %v", lent, got, want)
		}
		if shared := reflect.ValueOf(got["kept"]).Pointer() == reflect.ValueOf(live["kept"]).Pointer(); shared != lent {
			t.Errorf("lent %v: shared %v", lent, shared)
		}
		if b := live["changed"].(map[string]any)["b"]; b != "1" {
			t.Errorf("lent %v: the live value is now %v", lent, b)
		}
	}
}
