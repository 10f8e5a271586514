// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"testing"
)

func TestCheckKeys(t *testing.T) {
	list := func(keys []string, fields ...StructField) Atom {
		return Atom{List: &List{ElementRelationship: Associative, Keys: keys, ElementType: TypeRef{Inlined: Atom{Map: &Map{Fields: fields}}}}}
	}
	text := TypeRef{Inlined: Atom{Scalar: ptr(String)}}
	nullable := TypeRef{Inlined: Atom{Scalar: ptr(String)}, Nullable: true}
	k := []string{"k"}
	loop := &Map{}
	loop.Fields = []StructField{{Name: "self", Type: TypeRef{Inlined: Atom{Map: loop}}}}

	for name, c := range map[string]struct {
		atom Atom
		want string
	}{
		"no default":      {list(k, StructField{Name: "k", Type: text}), ""},
		"scalar default":  {list(k, StructField{Name: "k", Type: text, Default: "d"}), ""},
		"integer default": {list(k, StructField{Name: "k", Type: text, Default: 0}), ""},
		"list default":    {list(k, StructField{Name: "k", Type: text, Default: []any{}}), `type "t", .: key "k" has a default that is a list; expected a scalar`},
		"map default":     {list(k, StructField{Name: "k", Type: text, Default: map[any]any{}}), `type "t", .: key "k" has a default that is a map; expected a scalar`},
		"no such field":   {list(k, StructField{Name: "j", Type: text}, StructField{Name: "a", Type: text}), `type "t", .: key "k" is not a field of the items; expected one of a, j`},
		"nullable":        {list(k, StructField{Name: "k", Type: nullable}), `type "t", .: key "k" is nullable; a key must not be null, remove nullable`},
		"several": {list([]string{"a", "b", "c"}, StructField{Name: "c", Type: nullable, Default: "x"}),
			"type \"t\", .: key \"a\" is not a field of the items; expected one of c\ntype \"t\", .: key \"b\" is not a field of the items; expected one of c\ntype \"t\", .: key \"c\" is nullable; a key must not be null, remove nullable"},
		"deep": {Atom{Map: &Map{
			Fields:      []StructField{{Name: "f", Type: TypeRef{Inlined: list(k)}}, {Name: "g", Type: TypeRef{Inlined: Atom{List: &List{ElementType: TypeRef{Inlined: list(k, StructField{Name: "k", Type: nullable})}}}}}},
			ElementType: TypeRef{Inlined: list(k, StructField{Name: "k", Type: nullable})},
		}}, "type \"t\", .g[]: key \"k\" is nullable; a key must not be null, remove nullable\ntype \"t\", .*: key \"k\" is nullable; a key must not be null, remove nullable"},
		"atomic list":             {Atom{List: &List{ElementRelationship: Atomic, Keys: k, ElementType: TypeRef{Inlined: Atom{Map: &Map{Fields: []StructField{{Name: "k", Type: nullable}}}}}}}, ""},
		"set":                     {Atom{List: &List{ElementRelationship: Associative, ElementType: text}}, ""},
		"items of a missing type": {Atom{List: &List{ElementRelationship: Associative, Keys: k, ElementType: named("gone")}}, ""},
		"items by name":           {Atom{List: &List{ElementRelationship: Associative, Keys: k, ElementType: named("item")}}, `type "t", .: key "k" is nullable; a key must not be null, remove nullable`},
		"type inlined in itself":  {Atom{Map: loop}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Schema{Types: []TypeDef{
				{Name: "t", Atom: c.atom},
				{Name: "item", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "k", Type: nullable}}}}},
			}}
			err := s.CheckKeys()
			got := ""
			if err != nil {
				got = err.Error()
				var all KeyErrors
				if !errors.As(err, &all) || len(all) == 0 || all[0].Type != "t" {
					t.Errorf("%T is not as documented", err)
				}
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
