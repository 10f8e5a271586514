// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestOddKeys checks that operations ignore the keys of YAML maps that are not strings.
func TestOddKeys(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: obj
  map:
    fields:
    - {name: map, type: {map: {elementType: {scalar: string}}}}
    - {name: deep, type: {map: {elementType: {map: {elementType: {scalar: string}}}}}}
    - {name: items, type: {list: {elementRelationship: associative, keys: [k], elementType: {map: {elementType: {scalar: string}}}}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	type yaml = map[any]any
	objects := []struct{ odd, plain any }{
		{yaml{1: "x"}, yaml{}},
		{yaml{"map": yaml{1: "x"}}, yaml{"map": yaml{}}},
		{yaml{"map": yaml{1: "x", "b": "y"}}, yaml{"map": yaml{"b": "y"}}},
		{yaml{"map": yaml{true: "x", "b": "y"}, 1: nil}, yaml{"map": yaml{"b": "y"}}},
		{yaml{"deep": yaml{"a": yaml{1: "x"}}}, yaml{"deep": yaml{"a": yaml{}}}},
		{yaml{"deep": yaml{1: yaml{1: "x"}}}, yaml{"deep": yaml{}}},
		{yaml{"items": []any{yaml{"k": "1", 2: "x"}}}, yaml{"items": []any{yaml{"k": "1"}}}},
	}
	for _, typ := range []typed.ParseableType{p.Type("obj"), typed.DeducedParseableType} {
		var odd, plain []*typed.TypedValue
		make := func(v any) *typed.TypedValue {
			tv, err := typ.FromUnstructured(v)
			if err != nil {
				t.Fatalf("%v: %v", v, err)
			}
			return tv
		}
		objects := objects
		if typ.TypeRef.Equals(&typed.DeducedParseableType.TypeRef) {
			objects = objects[:len(objects)-1] // omit the last object: lists are leaves here, and maps in them keep such keys
		}
		for _, o := range objects {
			odd, plain = append(odd, make(o.odd)), append(plain, make(o.plain))
		}
		for i := range objects {
			what := objects[i].odd
			got, err := odd[i].ToFieldSet()
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := plain[i].ToFieldSet(); !got.Equals(want) {
				t.Errorf("%v: field set %v, want %v", what, got, want)
			}
			if c, err := odd[i].Compare(plain[i]); err != nil || !c.IsSame() {
				t.Errorf("%v against %v: %v, %v", what, objects[i].plain, c, err)
			}
			for j := range objects {
				got, err := odd[i].Merge(odd[j])
				if err != nil {
					t.Fatal(err)
				}
				want, err := plain[i].Merge(plain[j])
				if err != nil {
					t.Fatal(err)
				}
				if !value.Equals(got.AsValue(), want.AsValue()) || hasOddKeys(got.AsValue().Unstructured()) {
					t.Errorf("%v merged with %v: %v, want %v", what, objects[j].odd,
						got.AsValue().Unstructured(), want.AsValue().Unstructured())
				}
			}
		}
	}
}

func hasOddKeys(v any) bool {
	m := reflect.ValueOf(v)
	switch m.Kind() {
	case reflect.Map:
		for it := m.MapRange(); it.Next(); {
			if _, ok := it.Key().Interface().(string); !ok || hasOddKeys(it.Value().Interface()) {
				return true
			}
		}
	case reflect.Slice:
		for i := range m.Len() {
			if hasOddKeys(m.Index(i).Interface()) {
				return true
			}
		}
	}
	return false
}
