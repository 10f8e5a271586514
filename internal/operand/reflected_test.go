// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand_test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
)

// TestCompareGoMaps compares two Go maps, and a Go map with a struct. The results must
// be the same as for their plain data.
func TestCompareGoMaps(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: object
  map:
    fields: [{name: a, type: {scalar: string}}, {name: b, type: {scalar: string}}]
`)
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		A string `json:"a,omitempty"`
		B string `json:"b,omitempty"`
	}
	of := func(v any) func() *typed.TypedValue {
		return func() *typed.TypedValue {
			tv, err := p.Type("object").FromStructured(v)
			if err != nil {
				t.Fatal(err)
			}
			return tv
		}
	}
	ones := []func() *typed.TypedValue{of(&map[string]string{"a": "1"}), of(&object{A: "1"})}
	others := []func() *typed.TypedValue{of(&map[string]string{"a": "2", "b": "1"}), of(&object{A: "2", B: "1"})}
	for _, one := range ones {
		for _, other := range others {
			for _, converted := range []bool{false, true} {
				x, y := one(), other()
				if converted { // convert it before the comparison
					x.AsValue().Unstructured()
					y.AsValue().Unstructured()
				}
				c, err := x.Compare(y)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := c.Modified.String()+c.Added.String()+c.Removed.String(), ".a.b"; got != want {
					t.Errorf("%T and %T: got %s, want %s", x.AsValue().Unstructured(), y.AsValue().Unstructured(), got, want)
				}
			}
		}
	}
}
