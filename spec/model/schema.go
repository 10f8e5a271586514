// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// Kind says whether a type is for scalars, lists or maps, or is a deduced type.
type Kind string

// These are the kinds of types. A manager owns an atomic list or map as a whole. In all other
// lists and maps, managers own the items and fields separately. For a value of a deduced type,
// the value itself determines its kind.
const (
	Scalar  Kind = "scalar"
	List    Kind = "list"
	Map     Kind = "map"
	Deduced Kind = "deduced"
)

// Type describes the values that a field or item may have (rule T1).
type Type struct {
	Kind   Kind
	Scalar string // the required type of a scalar: string, number or boolean; "" allows all of them
	Atomic bool

	Fields map[string]*Type // the declared fields of a map
	Others *Type            // the type of a map's undeclared entries; nil if the map allows none

	Items    *Type          // the type of a list's items
	Keys     []string       // the fields that identify an item; if there are none, the value identifies the item
	Defaults map[string]any // the defaults of missing keys
}

// entryType returns the type of the map entry with the given name. The second result is true if
// the map type declares this entry by name.
func (t *Type) entryType(name string) (typ *Type, declared bool) {
	if f := t.Fields[name]; f != nil {
		return f, true
	}
	return t.Others, false
}

// typeFor returns the type to use for a value. This is t itself, unless t is a deduced type. A
// deduced type depends on the value (rule T3).
func (t *Type) typeFor(v any) *Type {
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

// comparedAsWhole reports whether an old and a new value of this type are compared and replaced
// as a whole, not field by field or item by item. This is true for scalar and atomic types. It
// is also true if both values are empty (rule T2).
func (t *Type) comparedAsWhole(old, new any) bool {
	return t.Kind == Scalar || t.Atomic || t.isEmpty(old) && t.isEmpty(new)
}

// isEmpty reports whether a value is empty: absent, null, [] or {}. A value whose kind differs
// from the kind of t also counts as empty (rule V3).
func (t *Type) isEmpty(v any) bool {
	switch t.Kind {
	case Map:
		return len(fields(v)) == 0
	case List:
		return len(items(v)) == 0
	}
	return true
}

// identity returns the path element of an item. In a list with keys, the element contains the
// item's keys. In a list without keys, it contains the item's value. If the item lacks a key,
// the element contains the key's default (rule I1), or omits the key if there is no default
// (rule I2). A null item has no keys (rule R2).
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

// identities returns the path elements of a list's items, in the order of the list.
func (t *Type) identities(list any) []Element {
	var all []Element
	for _, item := range items(list) {
		all = append(all, t.identity(item))
	}
	return all
}

// itemsWith returns all items of a list that have the identity id. More than one item means
// that the list has duplicates.
func (t *Type) itemsWith(list any, id Element) []any {
	return slices.DeleteFunc(slices.Clone(items(list)), func(item any) bool { return t.identity(item) != id })
}
