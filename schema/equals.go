// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"reflect"
	"slices"
)

// The Equals methods return true for identical pointers without comparing their content. So
// comparing a cyclic type with itself, or with a copy that shares its pointers, terminates.

// Equals reports whether both schemas have the same types in the same order and the same
// policies. Two nil schemas are equal.
func (a *Schema) Equals(b *Schema) bool {
	return a == b || a != nil && b != nil &&
		a.DeclarativeDefaults == b.DeclarativeDefaults &&
		a.MissingKeys == b.MissingKeys &&
		a.ZeroKeysUnset == b.ZeroKeysUnset &&
		equalSlices(a.types(), b.types(), (*TypeDef).Equals)
}

// Equals reports whether all fields of both references are equal. A reference to a type by name
// does not equal the same type inlined.
func (a *TypeRef) Equals(b *TypeRef) bool {
	return a == b || a != nil && b != nil &&
		equalPointers(a.NamedType, b.NamedType) &&
		equalPointers(a.ElementRelationship, b.ElementRelationship) &&
		a.Nullable == b.Nullable &&
		a.Transition == b.Transition &&
		(a.Inlined == b.Inlined || a.Inlined.Equals(&b.Inlined))
}

// Equals reports whether both types have the same name, Atom, default and transition rule.
func (a *TypeDef) Equals(b *TypeDef) bool {
	return a == b || a != nil && b != nil &&
		a.Name == b.Name && a.Transition == b.Transition && a.Atom.Equals(&b.Atom) && reflect.DeepEqual(a.Default, b.Default)
}

// Equals reports whether both atoms allow the same kinds of values, and have equal types for the
// first of these kinds, in the order Scalar, List, Map. It does not compare the types for the other
// kinds. For example, two atoms with the same scalar and different maps are equal.
func (a *Atom) Equals(b *Atom) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	if (a.Scalar == nil) != (b.Scalar == nil) || (a.List == nil) != (b.List == nil) || (a.Map == nil) != (b.Map == nil) {
		return false
	}
	switch {
	case a.Scalar != nil:
		return *a.Scalar == *b.Scalar
	case a.List != nil:
		return a.List.Equals(b.List)
	case a.Map != nil:
		return a.Map.Equals(b.Map)
	}
	return true
}

// Equals reports whether all exported fields of both map types are equal. The order of fields
// and unions matters.
func (a *Map) Equals(b *Map) bool {
	return a == b || a != nil && b != nil &&
		a.ElementType.Equals(&b.ElementType) &&
		a.ElementRelationship == b.ElementRelationship &&
		equalSlices(a.Fields, b.Fields, (*StructField).Equals) &&
		equalSlices(a.Unions, b.Unions, (*Union).Equals) &&
		slices.Equal(a.Required, b.Required) &&
		a.UnknownFields == b.UnknownFields &&
		reflect.DeepEqual(a.ElementDefault, b.ElementDefault)
}

// Equals reports whether all fields of both unions are equal. The order of the members matters.
func (a *Union) Equals(b *Union) bool {
	return a == b || a != nil && b != nil &&
		equalPointers(a.Discriminator, b.Discriminator) &&
		a.DeduceInvalidDiscriminator == b.DeduceInvalidDiscriminator &&
		equalSlices(a.Fields, b.Fields, (*UnionField).Equals)
}

// Equals reports whether both members have the same field name and discriminator value.
func (a *UnionField) Equals(b *UnionField) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Equals reports whether both fields have the same name, type and default.
func (a *StructField) Equals(b *StructField) bool {
	return a == b || a != nil && b != nil &&
		a.Name == b.Name && reflect.DeepEqual(a.Default, b.Default) && a.Type.Equals(&b.Type)
}

// Equals reports whether both list types have the same item type, relationship, keys
// and default.
func (a *List) Equals(b *List) bool {
	return a == b || a != nil && b != nil &&
		a.ElementType.Equals(&b.ElementType) &&
		a.ElementRelationship == b.ElementRelationship &&
		slices.Equal(a.Keys, b.Keys) &&
		reflect.DeepEqual(a.ElementDefault, b.ElementDefault)
}

func equalPointers[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func equalSlices[T any](a, b []T, equal func(a, b *T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(&a[i], &b[i]) {
			return false
		}
	}
	return true
}
