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
		"map":             {list(k, StructField{Name: "k", Type: TypeRef{Inlined: Atom{Map: &Map{}}}}), `type "t", .: key "k" is a map; expected a scalar`},
		"list":            {list(k, StructField{Name: "k", Type: TypeRef{Inlined: Atom{List: &List{}}}}), `type "t", .: key "k" is a list; expected a scalar`},
		"scalar or map":   {list(k, StructField{Name: "k", Type: TypeRef{Inlined: Atom{Scalar: ptr(Untyped), Map: &Map{}}}}), `type "t", .: key "k" is a map; expected a scalar`},
		"any type":        {list(k, StructField{Name: "k", Type: TypeRef{Inlined: Atom{Scalar: ptr(Untyped), Map: &Map{}, List: &List{}}}}), ""},
		"default of type": {list(k, StructField{Name: "k", Type: named("defaulted")}), `type "t", .: key "k" has a default that is a list; expected a scalar`},
		"no fields":       {list(k), ""},
		"default of values": {Atom{List: &List{ElementRelationship: Associative, Keys: k, ElementType: TypeRef{Inlined: Atom{Map: &Map{ElementType: text, ElementDefault: "d"}}}}},
			`type "t", .: key "k" is not declared, and the values of the items have a default; declare the key as a field with its own default`},
		"nullable": {list(k, StructField{Name: "k", Type: nullable}), `type "t", .: key "k" is nullable; a key must not be null, remove nullable`},
		"several": {list([]string{"a", "b", "c"}, StructField{Name: "c", Type: nullable, Default: "x"}),
			"type \"t\", .: key \"a\" is not a field of the items; expected one of c\ntype \"t\", .: key \"b\" is not a field of the items; expected one of c\ntype \"t\", .: key \"c\" is nullable; a key must not be null, remove nullable"},
		"deep": {Atom{Map: &Map{
			Fields:      []StructField{{Name: "f", Type: TypeRef{Inlined: list(k)}}, {Name: "g", Type: TypeRef{Inlined: Atom{List: &List{ElementType: TypeRef{Inlined: list(k, StructField{Name: "k", Type: nullable})}}}}}},
			ElementType: TypeRef{Inlined: list(k, StructField{Name: "k", Type: nullable})},
		}}, "type \"t\", .g[]: key \"k\" is nullable; a key must not be null, remove nullable\ntype \"t\", .*: key \"k\" is nullable; a key must not be null, remove nullable"},
		"atomic list":             {Atom{List: &List{ElementRelationship: Atomic, Keys: k, ElementType: TypeRef{Inlined: Atom{Map: &Map{Fields: []StructField{{Name: "k", Type: nullable}}}}}}}, ""},
		"set":                     {Atom{List: &List{ElementRelationship: Associative, ElementType: text}}, ""},
		"keys of scalars":         {Atom{List: &List{ElementRelationship: Associative, Keys: k, ElementType: text}}, `type "t", .: key "k" needs items that are maps; the items are scalars, so remove the keys to get a set`},
		"keys of lists":           {Atom{List: &List{ElementRelationship: Associative, Keys: k, ElementType: TypeRef{Inlined: Atom{List: &List{}}}}}, `type "t", .: key "k" needs items that are maps; the items are lists, so make the outer list atomic`},
		"keys of an empty type":   {Atom{List: &List{ElementRelationship: Associative, Keys: k}}, ""},
		"items of a missing type": {Atom{List: &List{ElementRelationship: Associative, Keys: k, ElementType: named("gone")}}, ""},
		"items by name":           {Atom{List: &List{ElementRelationship: Associative, Keys: k, ElementType: named("item")}}, `type "t", .: key "k" is nullable; a key must not be null, remove nullable`},
		"type inlined in itself":  {Atom{Map: loop}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Schema{DeclarativeDefaults: true, Types: []TypeDef{
				{Name: "t", Atom: c.atom},
				{Name: "defaulted", Atom: text.Inlined, Default: []any{}},
				{Name: "item", Atom: Atom{Map: &Map{Fields: []StructField{{Name: "k", Type: nullable}}}}},
			}}
			err := s.CheckKeys()
			got := ""
			if err != nil {
				got = err.Error()
				var all Errors
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

func TestCheckTransitions(t *testing.T) {
	text := TypeRef{Inlined: Atom{Scalar: ptr(String)}}
	of := func(tr Transition, a Atom) *Map {
		return &Map{Fields: []StructField{{Name: "f", Type: TypeRef{Inlined: a, Transition: tr}}}}
	}
	values := Atom{Map: &Map{ElementType: text}}
	atomic := Atom{Map: &Map{ElementType: text, ElementRelationship: Atomic}}
	structure := Atom{Map: &Map{Fields: []StructField{{Name: "a", Type: text}}}}
	keyed := Atom{List: &List{ElementRelationship: Associative, Keys: []string{"a"}, ElementType: TypeRef{Inlined: structure}}}
	set := Atom{List: &List{ElementRelationship: Associative, ElementType: text}}
	list := Atom{List: &List{ElementRelationship: Atomic, ElementType: text}}
	loop := &Map{}
	loop.Fields = []StructField{{Name: "self", Type: TypeRef{Inlined: Atom{Map: loop}, Transition: ImmutableKeys}}}
	const (
		entries = " needs a map that has an elementType and is not atomic, or an associative list"
		keys    = entries + " with keys"
	)

	for name, c := range map[string]struct {
		m    *Map
		want string
	}{
		"none":                    {of(NoTransition, text.Inlined), ""},
		"immutable scalar":        {of(Immutable, text.Inlined), ""},
		"scalar set once":         {of(SetOnce, text.Inlined), ""},
		"keys of a map":           {of(ImmutableKeys, values), ""},
		"keys of a list":          {of(ImmutableKeys, keyed), ""},
		"additions to a set":      {of(AdditionOnly, set), ""},
		"deletions from a list":   {of(DeletionOnly, keyed), ""},
		"keys of several kinds":   {of(ImmutableKeys, Atom{Scalar: ptr(Untyped), List: list.List, Map: values.Map}), ""},
		"keys of a scalar":        {of(ImmutableKeys, text.Inlined), `type "t", .f: transition immutableKeys` + keys},
		"keys of a struct":        {of(ImmutableKeys, structure), `type "t", .f: transition immutableKeys` + keys},
		"keys of an atomic map":   {of(ImmutableKeys, atomic), `type "t", .f: transition immutableKeys` + keys},
		"keys of a set":           {of(ImmutableKeys, set), `type "t", .f: transition immutableKeys` + keys},
		"additions to an atomic":  {of(AdditionOnly, list), `type "t", .f: transition additionOnly` + entries},
		"deletions from a scalar": {of(DeletionOnly, text.Inlined), `type "t", .f: transition deletionOnly` + entries},
		"another spelling":        {of(99, text.Inlined), `type "t", .f: transition 99 is unknown; expected immutable, immutableKeys, additionOnly, deletionOnly or setOnce`},
		"items and values": {&Map{ElementType: TypeRef{Inlined: Atom{List: &List{ElementType: TypeRef{Inlined: text.Inlined, Transition: ImmutableKeys}}}, Transition: AdditionOnly}},
			"type \"t\", .*: transition additionOnly" + entries + "\ntype \"t\", .*[]: transition immutableKeys" + keys},
		"by name":                {&Map{ElementType: TypeRef{NamedType: ptr("list"), Transition: AdditionOnly}}, `type "t", .*: transition additionOnly` + entries},
		"relationship of a ref":  {&Map{ElementType: TypeRef{NamedType: ptr("list"), ElementRelationship: ptr(Associative), Transition: AdditionOnly}}, ""},
		"missing":                {&Map{ElementType: TypeRef{NamedType: ptr("gone"), Transition: AdditionOnly}}, ""},
		"type inlined in itself": {loop, `type "t", .self: transition immutableKeys` + keys},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Schema{Types: []TypeDef{{Name: "t", Atom: Atom{Map: c.m}}, {Name: "list", Atom: list}}}
			got := ""
			if err := s.CheckTransitions(); err != nil {
				got = err.Error()
				var all Errors
				if !errors.As(err, &all) || all[0].Type != "t" {
					t.Errorf("%T is not as documented", err)
				}
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	s := &Schema{Types: []TypeDef{{Name: "t", Atom: list, Transition: DeletionOnly}}}
	if err := s.CheckTransitions(); err == nil || err.Error() != `type "t", .: transition deletionOnly`+entries {
		t.Errorf("a type: %v", err)
	}
}
