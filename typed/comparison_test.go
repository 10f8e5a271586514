// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"strings"
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

// TestComparisonSetsShareNoMemory modifies each set of a comparison at every place, and
// checks that the other two sets stay the same. The three sets are allocated together.
func TestComparisonSetsShareNoMemory(t *testing.T) {
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

// TestComparisonOfListsInLists checks the comparison of deeply nested lists. Up to a certain
// depth, Compare first checks whether items are equal. For unvalidated values, it never
// makes this check. The result must be the same for validated and unvalidated values.
func TestComparisonOfListsInLists(t *testing.T) {
	p, err := typed.NewParser(folders)
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	// build returns lists inside lists, with a text at each level. different selects changes: n
	// changes the text at level n, and -n adds an item to the list at level n.
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

// TestComparisonOfDuplicateItems checks that Compare treats duplicate items as one leaf, even
// in validated values.
func TestComparisonOfDuplicateItems(t *testing.T) {
	p, err := typed.NewParser(folders)
	if err != nil {
		t.Fatal(err)
	}
	items := func(n int) *typed.TypedValue {
		var items []any
		for range n {
			items = append(items, map[string]any{"a": "1"})
		}
		tv, err := p.Type("folder").FromUnstructured(map[string]any{"items": items}, typed.AllowDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	item := fieldpath.NewSet(fieldpath.MakePathOrDie("items", fieldpath.KeyByFields("a", "1")))
	whole := item.Union(fieldpath.NewSet(fieldpath.MakePathOrDie("items", fieldpath.KeyByFields("a", "1"), "a")))
	for _, test := range []struct {
		left, right              int
		removed, modified, added *fieldpath.Set
	}{
		{2, 1, item, fieldpath.NewSet(), whole},
		{1, 2, whole, fieldpath.NewSet(), item},
		{2, 3, fieldpath.NewSet(), item, fieldpath.NewSet()},
		{3, 2, fieldpath.NewSet(), item, fieldpath.NewSet()},
		{3, 3, fieldpath.NewSet(), fieldpath.NewSet(), fieldpath.NewSet()},
	} {
		got, err := items(test.left).Compare(items(test.right))
		if err != nil {
			t.Fatal(err)
		}
		if !got.Removed.Equals(test.removed) || !got.Modified.Equals(test.modified) || !got.Added.Equals(test.added) {
			t.Errorf("%d and %d: got %v", test.left, test.right, got)
		}
	}
}

// TestComparisonOfEqualInvalidItems checks that an invalid item is an error even if both
// values have the same item.
func TestComparisonOfEqualInvalidItems(t *testing.T) {
	p, err := typed.NewParser(folders)
	if err != nil {
		t.Fatal(err)
	}
	typ := p.Type("folder")
	unvalidated := func() *typed.TypedValue {
		items := []any{map[string]any{"a": "1", "b": int64(2)}, map[string]any{"a": "2"}}
		return typed.AsTypedUnvalidated(value.NewValueInterface(map[string]any{"items": items}), &p.Schema, typ.TypeRef)
	}
	if c, err := unvalidated().Compare(unvalidated()); err == nil || !strings.Contains(err.Error(), `.items[a="1"].b: `) {
		t.Errorf("got %v, %v", c, err)
	}
}
