// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// Kind is the kind of a type.
type Kind string

// Kinds of types. An atomic list or map is owned as one value; other lists and maps are owned
// part by part. A deduced type takes its kind from the value.
const (
	Scalar  Kind = "scalar"
	List    Kind = "list"
	Map     Kind = "map"
	Deduced Kind = "deduced"
)

// Type describes the values that a field or item may have. Rule T1.
type Type struct {
	Kind   Kind
	Scalar string // required type of a scalar: string, number or boolean; "" allows any
	Atomic bool

	Fields map[string]*Type // declared by a map
	Others *Type            // type of a map's undeclared entries; nil if it allows none

	Items    *Type          // type of a list's items
	Keys     []string       // keys that identify an item; if there are none, its value does
	Defaults map[string]any // defaults of keys that an item does not have
}

// entryType returns the type of an entry of a map, and whether the map declares it by name.
func (t *Type) entryType(name string) (typ *Type, declared bool) {
	if f := t.Fields[name]; f != nil {
		return f, true
	}
	return t.Others, false
}

// typeFor returns the type to use for a value. Only a deduced type depends on the value. Rule T3.
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

// comparedAsWhole reports whether an old and a new value of this type are compared and replaced as
// a whole. It returns true for scalars and atomic types, and for lists and maps if both values are
// empty. Rule T2.
func (t *Type) comparedAsWhole(old, new any) bool {
	return t.Kind == Scalar || t.Atomic || t.isEmpty(old) && t.isEmpty(new)
}

// isEmpty reports whether a list or map is empty: absent, null, [] or {}. A value of another
// kind counts as empty, too. Rule V3.
func (t *Type) isEmpty(v any) bool {
	switch t.Kind {
	case Map:
		return len(fields(v)) == 0
	case List:
		return len(items(v)) == 0
	}
	return true
}

// identity returns the path element of an item: its keys, or its value in a set. A missing key
// has its default (rule I1). The element omits a missing key without a default (rule I2). Null
// has no keys (rule R2).
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

// identities returns the path elements of all items of a list, in order.
func (t *Type) identities(list any) []Element {
	var all []Element
	for _, item := range items(list) {
		all = append(all, t.identity(item))
	}
	return all
}

// itemsWith returns the items of a list that have the identity id: none, one, or several
// duplicates.
func (t *Type) itemsWith(list any, id Element) []any {
	return slices.DeleteFunc(slices.Clone(items(list)), func(item any) bool { return t.identity(item) != id })
}
