// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
)

// TestDefaultBelowAny checks that Default fills in defaults inside a field of the Go type
// any. If the field has a pointer, Default must fill in the value that it points to.
func TestDefaultBelowAny(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: object
  map:
    fields:
    - {name: any, type: {map: {fields: [{name: a, type: {scalar: string}, default: x}]}}}
    - {name: number, type: {scalar: numeric}}
    - {name: plain, type: {map: {fields: [{name: a, type: {scalar: string}}]}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	type inner struct {
		A string `json:"a,omitempty"`
	}
	type object struct {
		Any    any `json:"any,omitempty"`
		Number any `json:"number,omitempty"`
		Plain  any `json:"plain,omitempty"`
	}
	number := 1
	for _, c := range []struct {
		v    object
		want any
	}{
		{object{Any: &inner{}, Number: &number, Plain: &inner{}}, &inner{A: "x"}},
		{object{Any: (*inner)(nil), Number: (*int)(nil)}, (*inner)(nil)},
	} {
		got, err := p.Type("object").Default(&c.v)
		if err != nil {
			t.Errorf("%#v: %v", c.v, err)
		} else if is := got.(*object).Any; !reflect.DeepEqual(is, c.want) {
			t.Errorf("got %#v, want %#v", is, c.want)
		}
	}
}
