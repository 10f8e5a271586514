// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
)

func TestEnsureNamedFieldsAreMembers(t *testing.T) {
	ref := func(name string) schema.TypeRef { return schema.TypeRef{NamedType: &name} }
	text := schema.Scalar("string")
	leaf := schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}
	types := &schema.Schema{Types: []schema.TypeDef{
		{Name: "object", Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "named", Type: ref("object")},
			{Name: "labels", Type: ref("labels")},
			{Name: "items", Type: ref("items")},
		}}}},
		{Name: "labels", Atom: schema.Atom{Map: &schema.Map{ElementType: ref("object")}}},
		{Name: "items", Atom: schema.Atom{List: &schema.List{ElementType: ref("object"), Keys: []string{"k"}}}},
		{Name: "leaf", Atom: leaf.Inlined},
		{Name: "both", Atom: schema.Atom{
			Map:  &schema.Map{Fields: []schema.StructField{{Name: "named", Type: ref("object")}}, ElementType: ref("object")},
			List: &schema.List{ElementType: ref("object"), Keys: []string{"k"}},
		}},
	}}
	item := k("k", 1)
	for _, c := range []struct {
		name     string
		of, want *Set
		tr       schema.TypeRef
	}{
		{"fields", fields("named.named.x"), fields("named", "named.named", "named.named.x"), ref("object")},
		{"already there", fields("named", "named.x"), fields("named", "named.x"), ref("object")},
		{"keys of a map are not named", fields("labels.a.named.x"), fields("labels", "labels.a.named", "labels.a.named.x"), ref("object")},
		{"items are not named", NewSet(p("items", item, "named.x")),
			NewSet(p("items"), p("items", item, "named"), p("items", item, "named.x")), ref("object")},
		{"a map or a list", NewSet(p("named.named.x"), p(item, "named.x"), p(v("a"), "named.x")), NewSet(p("named"), p("named.named"), p("named.named.x"),
			p(item, "named"), p(item, "named.x"), p(v("a"), "named.x")), ref("both")},
		{"unknown field", fields("other.named.x"), fields("other.named.x"), ref("object")},
		{"unknown type", fields("named.x"), fields("named.x"), ref("missing")},
		{"no type", fields("named.x"), fields("named.x"), schema.TypeRef{}},
		{"scalar", fields("named.x"), fields("named.x"), ref("leaf")},
		{"among others", fields("a", "labels.x", "m", "named.x", "z", "items.y"),
			fields("a", "items", "labels", "m", "named", "z", "labels.x", "named.x", "items.y"), ref("object")},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := c.of.String()
			got := c.of.EnsureNamedFieldsAreMembers(types, c.tr)
			checkShape(t, "result", got)
			if !got.Equals(c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if children := c.of.Children.EnsureNamedFieldsAreMembers(types, c.tr); !children.Equals(&c.want.Children) {
				t.Errorf("children: got %v", children)
			}
			if c.of.String() != before {
				t.Error("the set was changed")
			}
		})
	}
}
