// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"testing"
)

func TestCheckDefaults(t *testing.T) {
	scalar := func(s Scalar) TypeRef { return TypeRef{Inlined: Atom{Scalar: &s}} }
	text, number, boolean, untyped := scalar(String), scalar(Numeric), scalar(Boolean), scalar(Untyped)
	listOf := func(item TypeRef) TypeRef {
		return TypeRef{Inlined: Atom{List: &List{ElementType: item, ElementRelationship: Atomic}}}
	}
	mapOf := func(value TypeRef) TypeRef { return TypeRef{Inlined: Atom{Map: &Map{ElementType: value}}} }
	object := func(fields ...StructField) Atom { return Atom{Map: &Map{Fields: fields}} }
	field := func(typ TypeRef, def any) Atom { return object(StructField{Name: "f", Type: typ, Default: def}) }
	port := TypeRef{Inlined: object(StructField{Name: "port", Type: number}, StructField{Name: "names", Type: listOf(text)})}
	anything := Atom{Scalar: ptr(Untyped), List: &List{ElementType: named("any"), ElementRelationship: Atomic}, Map: &Map{ElementType: named("any")}}
	keyed := func(item Atom) Atom {
		return Atom{List: &List{ElementRelationship: Associative, Keys: []string{"k"}, ElementType: TypeRef{Inlined: item}}}
	}
	key := func(typ TypeRef, def any) Atom { return keyed(object(StructField{Name: "k", Type: typ, Default: def})) }

	for name, c := range map[string]struct {
		atom Atom
		want string
	}{
		"string":                   {field(text, "d"), ""},
		"number for a string":      {field(text, 5), `type "t", .f: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		"boolean for a string":     {field(text, true), `type "t", .f: default is the boolean true; expected a string: write "true", in quotes, or change the type`},
		"list for a string":        {field(text, []any{}), `type "t", .f: default is a list; expected a string: change the default or the type`},
		"map for a string":         {field(text, map[any]any{}), `type "t", .f: default is a map; expected a string: change the default or the type`},
		"integer":                  {field(number, int64(5)), ""},
		"float":                    {field(number, 1.5), ""},
		"json number":              {field(number, json.Number("5")), ""},
		"quoted number":            {field(number, "5"), `type "t", .f: default is the string "5"; expected a number: write 5, without quotes, or change the type`},
		"string for a number":      {field(number, "x"), `type "t", .f: default is the string "x"; expected a number: change the default or the type`},
		"boolean":                  {field(boolean, false), ""},
		"quoted boolean":           {field(boolean, "true"), `type "t", .f: default is the string "true"; expected a boolean: write true, without quotes, or change the type`},
		"number for a boolean":     {field(boolean, 1), `type "t", .f: default is the number 1; expected a boolean: change the default or the type`},
		"any scalar":               {field(untyped, 5), ""},
		"map for any scalar":       {field(untyped, map[string]any{}), `type "t", .f: default is a map; expected a scalar: change the default or the type`},
		"null":                     {field(text, nil), ""},
		"anything":                 {Atom{Map: &Map{Fields: []StructField{{Name: "f", Type: named("any"), Default: map[string]any{"a": []any{1, "x", nil}}}}}}, ""},
		"missing type":             {field(named("gone"), 5), ""},
		"empty type":               {field(TypeRef{}, 5), ""},
		"list":                     {field(listOf(text), []any{"a", nil}), ""},
		"empty list":               {field(listOf(text), []any{}), ""},
		"map for a list":           {field(listOf(text), map[string]any{}), `type "t", .f: default is a map; expected a list: change the default or the type`},
		"item of a list":           {field(listOf(text), []any{"a", 5}), `type "t", .f: default is the number 5 at [1]; expected a string: write "5", in quotes, or change the type`},
		"values of a map":          {field(mapOf(number), map[string]any{"a": 1, "b": nil}), ""},
		"value of a map":           {field(mapOf(number), map[any]any{"b": "x", "a": "1"}), `type "t", .f: default is the string "1" at .a; expected a number: write 1, without quotes, or change the type`},
		"list for a struct":        {field(port, []any{}), `type "t", .f: default is a list; expected a map: change the default or the type`},
		"struct":                   {field(port, map[string]any{"port": 80, "names": nil}), ""},
		"field of a struct":        {field(port, map[string]any{"port": "http"}), `type "t", .f: default is the string "http" at .port; expected a number: change the default or the type`},
		"unknown field":            {field(port, map[string]any{"prot": 80}), `type "t", .f: default has the field .prot, which the type does not declare: remove it from the default, or declare it`},
		"nested":                   {field(listOf(port), []any{map[string]any{"names": []any{"a", 5}}}), `type "t", .f: default is the number 5 at [0].names[1]; expected a string: write "5", in quotes, or change the type`},
		"field of a field":         {object(StructField{Name: "a", Type: TypeRef{Inlined: field(text, 5)}}), `type "t", .a.f: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		"field of an item":         {object(StructField{Name: "a", Type: listOf(TypeRef{Inlined: field(text, 5)})}), `type "t", .a[].f: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		"key":                      {key(text, "d"), ""},
		"number for a string key":  {key(text, 5), `type "t", [].k: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		"boolean for a number key": {key(number, true), `type "t", [].k: default is the boolean true; expected a number: change the default or the type`},
		"map for a key":            {key(text, map[string]any{}), `type "t", [].k: default is a map; expected a string: change the default or the type`},
		"list for a key":           {key(text, []any{}), `type "t", [].k: default is a list; expected a string: change the default or the type`},
		"item":                     {Atom{List: &List{ElementType: text, ElementDefault: 5}}, `type "t", []: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		"value":                    {Atom{Map: &Map{ElementType: text, ElementDefault: 5}}, `type "t", .*: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		"several": {object(StructField{Name: "a", Type: text, Default: 1}, StructField{Name: "b", Type: text, Default: 2}),
			"type \"t\", .a: default is the number 1; expected a string: write \"1\", in quotes, or change the type\ntype \"t\", .b: default is the number 2; expected a string: write \"2\", in quotes, or change the type"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Schema{DeclarativeDefaults: true, Types: []TypeDef{{Name: "t", Atom: c.atom}, {Name: "any", Atom: anything}}}
			got := ""
			if err := s.CheckDefaults(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestCheckDefaultOfType(t *testing.T) {
	s := &Schema{DeclarativeDefaults: true, Types: []TypeDef{{Name: "t", Default: 5, Atom: Atom{Scalar: ptr(String)}}}}
	want := `type "t", .: default is the number 5; expected a string: write "5", in quotes, or change the type`
	if err := s.CheckDefaults(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestCheckDefaultsOfKeysOnly checks that CheckDefaults checks only the defaults of list keys
// if declarative defaults are off. Other defaults have no effect, and some schemas for
// structured-merge-diff have the default {} for scalars.
func TestCheckDefaultsOfKeysOnly(t *testing.T) {
	text := TypeRef{Inlined: Atom{Scalar: ptr(String)}}
	item := Atom{Map: &Map{Fields: []StructField{{Name: "k", Type: text, Default: 5}, {Name: "f", Type: text, Default: 6}}}}
	list := func(r ElementRelationship) TypeRef {
		return TypeRef{Inlined: Atom{List: &List{ElementRelationship: r, Keys: []string{"k", "gone"}, ElementType: named("item")}}}
	}
	s := &Schema{Types: []TypeDef{
		{Name: "t", Default: 5, Atom: Atom{Map: &Map{Fields: []StructField{
			{Name: "atomic", Type: list(Atomic)},
			{Name: "keyed", Type: list(Associative)},
			{Name: "time", Type: text, Default: map[string]any{}},
		}}}},
		{Name: "item", Atom: item},
	}}
	want := `type "t", .keyed[].k: default is the number 5; expected a string: write "5", in quotes, or change the type`
	if err := s.CheckDefaults(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	s.DeclarativeDefaults = true
	if errs, _ := s.CheckDefaults().(Errors); len(errs) != 4 {
		t.Errorf("with declarative defaults, got %v, want four errors: of t, .time, .k and .f", errs)
	}
}
