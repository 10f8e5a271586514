// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestListIndexesFindLikeSearch checks that an index finds the same items as a search. The
// lists have duplicates, items that lack some or all keys, and numbers that are equal only
// after conversion to floats.
func TestListIndexesFindLikeSearch(t *testing.T) {
	scalar := schema.TypeRef{Inlined: schema.Atom{Scalar: new(schema.Scalar)}}
	*scalar.Inlined.Scalar = schema.Untyped
	ofItem := schema.TypeRef{Inlined: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "a", Type: scalar}, {Name: "b", Type: scalar, Default: "x"},
	}}}}
	keyed := schema.Atom{List: &schema.List{ElementType: ofItem, ElementRelationship: schema.Associative, Keys: []string{"a", "b"}}}
	set := schema.Atom{List: &schema.List{ElementType: scalar, ElementRelationship: schema.Associative}}
	values := []any{int64(1), 1.0, int64(2), "x", "y", true, int64(1<<53 + 1), float64(1 << 53), int64(1 << 53), nil}
	found := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		pick := func() any { return values[r.IntN(len(values))] }
		atom := []schema.Atom{keyed, set}[seed%2]
		list := compiled.Node(&schema.Schema{}, schema.TypeRef{Inlined: atom}).List
		one := func() any {
			if seed%2 == 1 {
				return pick()
			}
			m := map[string]any{"c": pick()}
			for _, k := range []string{"a", "b"} {
				if r.IntN(4) > 0 {
					m[k] = pick()
				}
			}
			return m
		}
		items := make([]any, 16+r.IntN(60))
		for i := range items {
			items[i] = one()
		}
		indexes := item.ListIndexes{}
		for range 60 {
			var e fieldpath.PathElement
			switch v := one().(type) {
			case map[string]any:
				var key value.FieldList
				for _, k := range []string{"a", "b"} {
					if v, ok := v[k]; ok {
						key = append(key, value.Field{Name: k, Value: value.NewValueInterface(v)})
					}
				}
				e.Key = &key
			default:
				e = fieldpath.ValueElement(value.NewValueInterface(v))
			}
			want, ok := item.ListIndexes(nil).FindPosition(list, items, e)
			got, has := indexes.FindPosition(list, items, e)
			if ok != has || ok && got != want {
				t.Fatalf("seed %d: %v is %d %v, want %d %v of %v", seed, e, got, has, want, ok, items)
			}
			if want, got := item.ListIndexes(nil).FindItems(list, items, e), indexes.FindItems(list, items, e); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %v are %v, want %v", seed, e, got, want)
			}
			if ok {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d found", found)
	}
}
