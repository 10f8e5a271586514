// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package place

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const finderSchema = `
types:
- name: T
  map:
    fields:
    - {name: keyed, type: {list: {elementType: {namedType: I}, elementRelationship: associative, keys: [k, p]}}}
    - {name: set, type: {list: {elementType: {scalar: untyped}, elementRelationship: associative}}}
    - {name: atomic, type: {list: {elementType: {namedType: I}, elementRelationship: atomic}}}
- name: I
  map:
    fields:
    - {name: k, type: {scalar: untyped}}
    - {name: p, type: {scalar: string}, default: a}
    - {name: v, type: {scalar: numeric}}
`

// TestFinders checks that Finders finds the same places as a search through every list.
func TestFinders(t *testing.T) {
	parser, err := typed.NewParser(finderSchema)
	if err != nil {
		t.Fatal(err)
	}
	found, missed := 0, 0
	for seed := range uint64(300) {
		g := rand.New(rand.NewPCG(seed, 1))
		scalar := func() any {
			return []any{int64(g.IntN(20)), float64(g.IntN(20)), fmt.Sprint(g.IntN(20)), true, false, nil}[g.IntN(6)]
		}
		list := func(item func() any) []any {
			items := make([]any, g.IntN(60))
			for i := range items {
				items[i] = item()
			}
			return items
		}
		keyed := func() any {
			m := map[string]any{"v": int64(g.IntN(9))}
			for name, v := range map[string]any{"k": scalar(), "p": []any{"a", "b", nil}[g.IntN(3)]} {
				if g.IntN(5) > 0 {
					m[name] = v
				}
			}
			return m
		}
		tv := TypedOf(parser.Type("T"), map[string]any{"keyed": list(keyed), "set": list(scalar), "atomic": list(keyed)})
		find := Finders{}
		shared := make(fieldpath.Path, 3)
		for range 200 {
			var path fieldpath.Path
			if g.IntN(2) == 0 {
				key := fieldpath.KeyByFields("k", scalar())
				if g.IntN(5) > 0 {
					key = fieldpath.KeyByFields("k", scalar(), "p", []any{"a", "b"}[g.IntN(2)])
				}
				path = fieldpath.MakePathOrDie([]string{"keyed", "atomic"}[g.IntN(2)], key, "v")
			} else {
				path = fieldpath.Path{fieldpath.FieldNameElement("set"), fieldpath.ValueElement(value.NewValueInterface(scalar()))}
			}
			if g.IntN(2) == 0 {
				path = append(shared[:0], path...) // reuses the memory of the path, as Set.All does
			}
			got, has := find.Value(tv, path)
			at, had := Root(tv).At(path)
			want := at.Plain
			if has != had || !reflect.DeepEqual(got, want) {
				t.Fatalf("%d: %v: got %v %v, want %v %v", seed, path, got, has, want, had)
			}
			if had {
				found++
			} else {
				missed++
			}
		}
	}
	if found < 1000 || missed < 1000 {
		t.Errorf("%d found, %d missed: too few to test anything", found, missed)
	}
}

// TestGranular checks that a value is granular only if it is a map or list and its type is
// granular.
func TestGranular(t *testing.T) {
	parser, err := typed.NewParser(`
types:
- name: atomic
  map: {elementType: {scalar: string}, elementRelationship: atomic}
- name: atomicList
  list: {elementType: {scalar: string}, elementRelationship: atomic}
- name: set
  list: {elementType: {scalar: string}, elementRelationship: associative}
- name: map
  map: {elementType: {scalar: string}}
- name: scalar
  scalar: string
`)
	if err != nil {
		t.Fatal(err)
	}
	m, l := map[string]any{"a": "b"}, []any{"a"}
	for _, c := range []struct {
		typ  string
		v    any
		want bool
	}{
		{"map", m, true}, {"atomic", m, false}, {"scalar", m, false}, {"set", m, false}, {"set", l, true}, {"atomicList", l, false}, {"scalar", l, false}, {"map", l, false},
		{"scalar", "a", false}, {"map", nil, false},
	} {
		if got := Root(typed.AsTypedUnvalidated(value.NewValueInterface(c.v), &parser.Schema, parser.Type(c.typ).TypeRef)).Granular(); got != c.want {
			t.Errorf("%v of type %s: got %v", c.v, c.typ, got)
		}
	}
}

// TestValueAtIndex checks that an index identifies an item of any list that is long enough.
func TestValueAtIndex(t *testing.T) {
	parser, err := typed.NewParser(finderSchema)
	if err != nil {
		t.Fatal(err)
	}
	tv := TypedOf(parser.Type("T"), map[string]any{"set": []any{"a", "b"}, "atomic": []any{map[string]any{"v": int64(1)}}})
	for _, c := range []struct {
		path []any
		want any
	}{
		{[]any{"set", 0}, "a"}, {[]any{"set", 1}, "b"}, {[]any{"set", 2}, nil}, {[]any{"set", -1}, nil}, {[]any{"atomic", 0, "v"}, int64(1)}, {[]any{"atomic", 1, "v"}, nil},
	} {
		if got, found := Root(tv).At(fieldpath.MakePathOrDie(c.path...)); got.Plain != c.want || found != (c.want != nil) {
			t.Errorf("%v: got %v, %v", c.path, got.Plain, found)
		}
	}
}

// TestField checks that only a map type has fields with a known type.
func TestField(t *testing.T) {
	parser, err := typed.NewParser(finderSchema)
	if err != nil {
		t.Fatal(err)
	}
	root := Root(TypedOf(parser.Type("T"), map[string]any{}))
	list := root.Field("keyed")
	if !root.Typed || !list.Typed || list.List() == nil {
		t.Errorf("a field of a map: got %+v", list)
	}
	if of := list.Field("a"); of.Typed || of.Field("b").Typed {
		t.Errorf("a field of a list: got %+v", of)
	}
}
