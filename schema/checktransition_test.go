// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"testing"
)

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
		entries = " wants a map with values, which is not atomic, or an associative list"
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
		"another spelling":        {of(99, text.Inlined), `type "t", .f: transition 99 is not known; want immutable, immutableKeys, additionOnly, deletionOnly or setOnce`},
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
				var all TransitionErrors
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
