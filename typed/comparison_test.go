// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const folders = `types:
- name: folder
  map:
    fields:
    - {name: a, type: {scalar: string}}
    - {name: b, type: {scalar: string}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: items, type: {list: {elementRelationship: associative, keys: [a], elementType: {namedType: folder}}}}
    - {name: below, type: {namedType: folder}}
`

// TestSetsOfAComparisonAreApart writes to every place of each set of a comparison,
// whose memory is allocated together, and looks at the other two.
func TestSetsOfAComparisonAreApart(t *testing.T) {
	p, err := typed.NewParser(folders)
	if err != nil {
		t.Fatal(err)
	}
	typedOf := func(o any) *typed.TypedValue {
		tv, err := p.Type("folder").FromUnstructured(o)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	type object = map[string]any
	sides := [][2]object{
		{{}, {}},
		{{"a": "x"}, {"a": "x"}},
		{{"a": "x"}, {"a": "y"}},
		{{"a": "x"}, {}},
		{{}, {"a": "x"}},
		{{"a": "x", "b": "x"}, {"a": "y"}},
		{{"a": "x", "labels": object{"k": "v"}}, {"b": "x", "labels": object{"k": "w", "l": "w"}}},
		{{"items": []any{object{"a": "1", "b": "x"}, object{"a": "2"}}}, {"items": []any{object{"a": "1", "b": "y"}, object{"a": "3"}}}},
	}
	for i, side := range sides {
		for depth := range 12 {
			left, right := side[0], side[1]
			for range depth {
				left, right = object{"below": left}, object{"below": right}
			}
			for written := range 3 {
				c, err := typedOf(left).Compare(typedOf(right))
				if err != nil {
					t.Fatal(err)
				}
				sets := [3]*fieldpath.Set{c.Removed, c.Modified, c.Added}
				var before [3]string
				for j, s := range sets {
					before[j] = s.String()
				}
				insertEverywhere(sets[written])
				for j, s := range sets {
					if got := s.String(); j != written && got != before[j] {
						t.Fatalf("pair %d at depth %d: writing to set %d makes %q of %q in set %d", i, depth, written, got, before[j], j)
					}
				}
			}
		}
	}
}

// insertEverywhere inserts members and children at every place of s.
func insertEverywhere(s *fieldpath.Set) {
	for _, child := range s.Children.Sorted() {
		insertEverywhere(child.Set)
	}
	for i := range 3 {
		pe := fieldpath.FieldNameElement(fmt.Sprint("0 written ", i))
		s.Insert(fieldpath.Path{pe})
		s.Insert(fieldpath.Path{pe, pe})
	}
}

// TestComparisonOfListsInLists checks that lists deeper than values are looked at
// for being equal compare as values do of which nothing is known.
func TestComparisonOfListsInLists(t *testing.T) {
	p, err := typed.NewParser(folders)
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	// A list of lists with another text at each level in different.
	build := func(depth int, different map[int]bool) object {
		items := []any{}
		for level := depth; level > 0; level-- {
			text := "x"
			if different[level] {
				text = "y"
			}
			items = []any{object{"a": "1", "b": text, "items": items}, object{"a": "2"}}
			if different[-level] {
				items = append(items, object{"a": "3", "labels": object{"k": "v"}})
			}
		}
		return object{"items": items}
	}
	for _, depth := range []int{1, 7, 8, 9, 20} {
		for at := range depth + 1 {
			for _, different := range []map[int]bool{{at: true}, {-at: true}, {at: true, depth: true, -depth: true}} {
				left, right := build(depth, nil), build(depth, different)
				typ := p.Type("folder")
				valid, err := typ.FromUnstructured(left)
				if err != nil {
					t.Fatal(err)
				}
				other, err := typ.FromUnstructured(right)
				if err != nil {
					t.Fatal(err)
				}
				unknown := typed.AsTypedUnvalidated(value.NewValueInterface(left), &p.Schema, typ.TypeRef)
				got, err := valid.Compare(other)
				if err != nil {
					t.Fatal(err)
				}
				want, err := unknown.Compare(other)
				if err != nil {
					t.Fatal(err)
				}
				if !got.Removed.Equals(want.Removed) || !got.Modified.Equals(want.Modified) || !got.Added.Equals(want.Added) {
					t.Errorf("depth %d, different at %v: got %v, want %v", depth, different, got, want)
				}
				if at > 0 && got.IsSame() {
					t.Errorf("depth %d, different at %v: no difference", depth, different)
				}
			}
		}
	}
}
