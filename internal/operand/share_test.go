// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand_test

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestShareResults checks that the result of a merge shares memory with a value for which
// ShareResults was called. For all other values, the result must be a copy. The merge must
// not modify its operands.
func TestShareResults(t *testing.T) {
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
	for _, shares := range []bool{false, true} {
		live := map[string]any{"kept": map[string]any{"a": "1"}, "changed": map[string]any{"b": "1"}}
		tv, err := p.Type("t").FromUnstructured(live)
		if err != nil {
			t.Fatal(err)
		}
		if shares {
			(*operand.Value)(tv).ShareResults()
		}
		config, err := p.Type("t").FromUnstructured(map[string]any{"changed": map[string]any{"b": "2"}})
		if err != nil {
			t.Fatal(err)
		}
		out, changed, findings := (*operand.Value)(tv).Overlay((*operand.Value)(config))
		if findings != nil || !changed {
			t.Fatalf("changed %v, %v", changed, findings)
		}
		got := out.Writable().AsValue().Unstructured().(map[string]any)
		want := map[string]any{"kept": map[string]any{"a": "1"}, "changed": map[string]any{"b": "2"}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("shares %v: got %v, want %v", shares, got, want)
		}
		if shared := reflect.ValueOf(got["kept"]).Pointer() == reflect.ValueOf(live["kept"]).Pointer(); shared != shares {
			t.Errorf("shares %v: shared %v", shares, shared)
		}
		if b := live["changed"].(map[string]any)["b"]; b != "1" {
			t.Errorf("shares %v: the live value is now %v", shares, b)
		}
	}
}
