// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/value"
)

func TestSetFromValue(t *testing.T) {
	type list = []any
	type object = map[string]any
	for _, c := range []struct {
		name string
		in   any
		want *Set
	}{
		{"scalar", 1, &Set{}},
		{"null", nil, &Set{}},
		{"leaves", object{"b": 1, "a": nil, "c": object{"d": "x"}}, fields("a", "b", "c.d")},
		{"empty containers have none", object{"a": object{}, "b": list{}, "c": list{object{}}}, &Set{}},
		{"list", list{1, "x", list{2}}, NewSet(p(0), p(1), p(2, 0))},
		{"item with candidate keys", list{object{"name": "b", "id": 1, "x": 2}},
			NewSet(p(k("id", 1, "name", "b"), "name"), p(k("id", 1, "name", "b"), "id"), p(k("id", 1, "name", "b"), "x"))},
		{"key that is no scalar", list{object{"name": object{"a": 1}, "key": nil}}, NewSet(p(0, "name.a"), p(0, "key"))},
		{"same item twice", list{object{"name": "a", "x": 1}, object{"name": "a", "y": object{"z": 1}}, object{"name": "a", "y": object{"w": 1}}},
			NewSet(p(k("name", "a"), "name"), p(k("name", "a"), "x"), p(k("name", "a"), "y.z"), p(k("name", "a"), "y.w"))},
		{"yaml map", map[any]any{"a": 1, "b": list{true}}, NewSet(p("a"), p("b", 0))},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := SetFromValue(v(c.in))
			checkShape(t, "result", got)
			if !got.Equals(c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	if got := SetFromValue(nil); !got.Empty() {
		t.Errorf("no value: got %s", got)
	}
}

func TestSetFromStruct(t *testing.T) {
	type item struct {
		Name string `json:"name"`
		Port *int   `json:"port"`
	}
	in := struct {
		Items []item            `json:"items"`
		Map   map[string]string `json:"map,omitempty"`
		Nil   map[string]string `json:"nil"`
	}{Items: []item{{Name: "b"}, {Name: "a"}}, Map: map[string]string{"y": "", "x": ""}}
	val, err := value.NewValueReflect(&in)
	if err != nil {
		t.Fatal(err)
	}
	want := NewSet(p("map.x"), p("map.y"), p("nil"))
	for _, name := range []string{"a", "b"} {
		want.Insert(p("items", k("name", name), "name"))
		want.Insert(p("items", k("name", name), "port"))
	}
	if got := SetFromValue(val); !got.Equals(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
