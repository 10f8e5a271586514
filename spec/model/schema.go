// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// Kind is what a type is of.
type Kind string

// Kinds of types. An atomic list or map is one value; the others are owned part by part. Of a
// deduced type the value decides.
const (
	Scalar  Kind = "scalar"
	List    Kind = "list"
	Map     Kind = "map"
	Deduced Kind = "deduced"
)

// Type is what may stand in a place. Rule T1.
type Type struct {
	Kind   Kind
	Scalar string // what a scalar is: a string, a number or a boolean; "" if it is any
	Atomic bool

	Fields map[string]*Type // that a map declares
	Others *Type            // of the other entries of a map; nil if it has none

	Items    *Type          // of a list
	Keys     []string       // by which items of a list are told apart; none: by their values
	Defaults map[string]any // of keys, where an item lacks them
}

// of returns the type of an entry of a map, and whether it is declared by its name.
func (t *Type) of(name string) (typ *Type, declared bool) {
	if f := t.Fields[name]; f != nil {
		return f, true
	}
	return t.Others, false
}

// as is the type that a value has: a deduced one is what the value makes of it. Rule T3.
func (t *Type) as(v any) *Type {
	if t.Kind != Deduced {
		return t
	}
	switch v.(type) {
	case nil, map[string]any:
		return &Type{Kind: Map, Others: t}
	case []any:
		return &Type{Kind: List, Atomic: true, Items: t}
	}
	return &Type{Kind: Scalar}
}

// whole says whether two values of a type, the one that stands there and the one that is to
// come, are compared and replaced as one: scalars, what is atomic, and lists and maps that
// both have nothing in them. Rule T2.
func (t *Type) whole(old, new any) bool {
	return t.Kind == Scalar || t.Atomic || t.isEmpty(old) && t.isEmpty(new)
}

// isEmpty says of a list or map whether it has nothing in it: it is absent, null, [] or {}. Rule V3.
// What is of another kind has nothing in it, either.
func (t *Type) isEmpty(v any) bool {
	switch t.Kind {
	case Map:
		return len(fields(v)) == 0
	case List:
		return len(items(v)) == 0
	}
	return true
}

// identity returns the path element of an item: its keys, with defaults for those that it
// lacks; or its value. Rule I1. A key that is missing and has no default is left out. Rule I2. Null has no keys. Rule R2.
func (t *Type) identity(item any) Element {
	if len(t.Keys) == 0 {
		return Element("v:" + text(item))
	}
	keys := map[string]any{}
	for _, name := range t.Keys {
		if v := field(item, name); !isAbsent(v) {
			keys[name] = v
		} else if v, ok := t.Defaults[name]; ok && item != nil {
			keys[name] = v
		}
	}
	return Element("k:" + text(keys))
}

// identities returns those of all items of a list, in their order.
func (t *Type) identities(list any) []Element {
	var all []Element
	for _, item := range items(list) {
		all = append(all, t.identity(item))
	}
	return all
}

// having returns the items of a list with an identity: none, one, or several duplicates.
func (t *Type) having(list any, id Element) []any {
	return slices.DeleteFunc(slices.Clone(items(list)), func(item any) bool { return t.identity(item) != id })
}
