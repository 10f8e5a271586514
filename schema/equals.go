// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"reflect"
	"slices"
)

// A type is equal to itself without a look inside: literals can tie inlined
// types into cycles.

// Equals returns whether both schemas have the same types in the same order
// and the same policies. Two nils are equal.
func (a *Schema) Equals(b *Schema) bool {
	return a == b || a != nil && b != nil &&
		a.DeclarativeDefaults == b.DeclarativeDefaults &&
		a.MissingKeys == b.MissingKeys &&
		a.ZeroKeysUnset == b.ZeroKeysUnset &&
		equalSlices(a.types(), b.types(), (*TypeDef).Equals)
}

// Equals returns whether both refer to the same type in the same way. A type
// that is inlined is not equal to the same type referred to by name.
func (a *TypeRef) Equals(b *TypeRef) bool {
	return a == b || a != nil && b != nil &&
		equalPointers(a.NamedType, b.NamedType) &&
		equalPointers(a.ElementRelationship, b.ElementRelationship) &&
		a.Nullable == b.Nullable &&
		a.Transition == b.Transition &&
		(a.Inlined == b.Inlined || a.Inlined.Equals(&b.Inlined))
}

// Equals returns whether both have the same name, atom, default and transition.
func (a *TypeDef) Equals(b *TypeDef) bool {
	return a == b || a != nil && b != nil &&
		a.Name == b.Name && a.Transition == b.Transition && a.Atom.Equals(&b.Atom) && reflect.DeepEqual(a.Default, b.Default)
}

// Equals returns whether both allow the same kinds of value and agree on the
// first of scalar, list and map that they allow.
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

// Equals returns whether both have the same fields and unions in the same
// order and treat other fields alike.
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

// Equals returns whether both have the same discriminator and members.
func (a *Union) Equals(b *Union) bool {
	return a == b || a != nil && b != nil &&
		equalPointers(a.Discriminator, b.Discriminator) &&
		a.DeduceInvalidDiscriminator == b.DeduceInvalidDiscriminator &&
		equalSlices(a.Fields, b.Fields, (*UnionField).Equals)
}

// Equals returns whether both are the same.
func (a *UnionField) Equals(b *UnionField) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Equals returns whether both have the same name, type and default.
func (a *StructField) Equals(b *StructField) bool {
	return a == b || a != nil && b != nil &&
		a.Name == b.Name && reflect.DeepEqual(a.Default, b.Default) && a.Type.Equals(&b.Type)
}

// Equals returns whether both have the same items, relationship and keys.
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
