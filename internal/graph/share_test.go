// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"reflect"
	"testing"
)

// leads lists the fields that point to other parts, which the method same does not compare.
// found lists other fields that the method same need not compare, each with the reason. All
// remaining fields, even new ones, are facts that an operation may read.
var (
	leads = map[string]bool{"Node.List": true, "Node.Map": true, "List.Item": true, "Map.Elem": true, "Field.Type": true}
	found = map[string]string{
		"Node.slot":     "only while the graph is being built",
		"List.slot":     "only while the graph is being built",
		"Map.slot":      "only while the graph is being built",
		"Node.Plans":    "a cache of plans for Go types",
		"Map.Defaulted": "follows from the defaults of the fields and of their types",
		"Map.names":     "follows from the names of the fields",
		"Field.Rank":    "follows from the order of the fields",
	}
)

// TestSameComparesEveryField checks that two parts that differ in a fact are not the same. It
// changes each field of each kind of part in turn, so it also fails if the method same does
// not compare a newly added field.
func TestSameComparesEveryField(t *testing.T) {
	tried := 0
	for _, c := range []struct {
		of    string
		make  func() part
		value func(part) reflect.Value
	}{
		{"Node", func() part { return &Node{} }, func(p part) reflect.Value { return reflect.ValueOf(p).Elem() }},
		{"List", func() part { return &List{} }, func(p part) reflect.Value { return reflect.ValueOf(p).Elem() }},
		{"Map", func() part { return &Map{} }, func(p part) reflect.Value { return reflect.ValueOf(p).Elem() }},
		{"Key", func() part { return &List{Keys: make([]Key, 1)} }, func(p part) reflect.Value { return reflect.ValueOf(&p.(*List).Keys[0]).Elem() }},
		{"Union", func() part { return &Map{Unions: &[]Union{{}}} }, func(p part) reflect.Value { return reflect.ValueOf(&p.(*Map).AllUnions()[0]).Elem() }},
		{"Member", func() part { return &Map{Unions: &[]Union{{Members: make([]Member, 1)}}} }, func(p part) reflect.Value { return reflect.ValueOf(&p.(*Map).AllUnions()[0].Members[0]).Elem() }},
		{"Field", func() part { return &Map{Fields: make([]Field, 1)} }, func(p part) reflect.Value { return reflect.ValueOf(&p.(*Map).Fields[0]).Elem() }},
	} {
		typ := c.value(c.make()).Type()
		for i := range typ.NumField() {
			name := c.of + "." + typ.Field(i).Name
			if found[name] != "" {
				continue
			}
			a, b := c.make(), c.make()
			if !a.same(b) || !b.same(a) {
				t.Fatalf("%s: two equal parts are not the same", c.of)
			}
			change(t, name, c.value(b).Field(i))
			tried++
			switch same := a.same(b) || b.same(a); {
			case leads[name] && c.of == "Node":
				if same {
					t.Errorf("%s: a part with it is the same as a part without it", name)
				}
			case leads[name]:
				if !same {
					t.Errorf("%s points to another part, which same must not compare", name)
				}
			case same:
				t.Errorf("%s is not compared: two types that differ in it would share a node", name)
			}
		}
	}
	if tried < 35 {
		t.Errorf("%d fields tried", tried)
	}
}

// change changes v, which has its zero value.
func change(t *testing.T, name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Interface:
		v.Set(reflect.ValueOf("x"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Elem().Kind() == reflect.Slice {
			change(t, name, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	default:
		t.Fatalf("%s is of type %v, which this test cannot change: add a case", name, v.Type())
	}
}

// TestPartsBelow checks that size and below return exactly the parts to which the fields of a
// part point.
func TestPartsBelow(t *testing.T) {
	list, m := &List{Item: &Node{}}, &Map{Elem: &Node{}, Fields: []Field{{Type: &Node{}}, {Type: &Node{}}}}
	for want, p := range map[string]part{
		fmt.Sprint([]part{list, m}):                                    &Node{List: list, Map: m},
		fmt.Sprint([]part{list.Item}):                                  list,
		fmt.Sprint([]part{m.Elem, m.Fields[0].Type, m.Fields[1].Type}): m,
	} {
		var all []part
		for i := range p.size() {
			all = append(all, p.below(i))
		}
		if got := fmt.Sprint(all); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
