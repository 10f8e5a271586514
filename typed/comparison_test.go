package typed_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

const nested = `types:
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
	p, err := typed.NewParser(nested)
	if err != nil {
		t.Fatal(err)
	}
	value := func(o any) *typed.TypedValue {
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
				c, err := value(left).Compare(value(right))
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
