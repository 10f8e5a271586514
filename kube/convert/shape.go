// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// sameShape reports whether two types have the same fields with the same types at all
// levels. It ignores defaults and merge strategies.
func sameShape(a, b typed.ParseableType) bool {
	s := shapes{a.Schema, b.Schema, map[[2]string]bool{}}
	return s.refs(a.TypeRef, b.TypeRef)
}

type shapes struct {
	a, b *schema.Schema
	// met contains the pairs of types whose comparison has begun, so that recursive types are
	// compared only once.
	met map[[2]string]bool
}

func (s *shapes) refs(a, b schema.TypeRef) bool {
	if a.NamedType != nil && b.NamedType != nil {
		names := [2]string{*a.NamedType, *b.NamedType}
		if s.met[names] || names[0] == names[1] && s.a == s.b {
			return true
		}
		s.met[names] = true
	}
	x, ok := s.a.Resolve(a)
	y, there := s.b.Resolve(b)
	return ok == there && (!ok || s.atoms(x, y))
}

func (s *shapes) atoms(a, b schema.Atom) bool {
	if (a.Scalar == nil) != (b.Scalar == nil) || (a.List == nil) != (b.List == nil) || (a.Map == nil) != (b.Map == nil) {
		return false
	}
	if a.Scalar != nil && *a.Scalar != *b.Scalar {
		return false
	}
	if a.List != nil && !s.refs(a.List.ElementType, b.List.ElementType) {
		return false
	}
	return a.Map == nil || s.maps(a.Map, b.Map)
}

func (s *shapes) maps(a, b *schema.Map) bool {
	if len(a.Fields) != len(b.Fields) {
		return false
	}
	for _, f := range a.Fields {
		g, ok := b.FindField(f.Name)
		if !ok || !s.refs(f.Type, g.Type) {
			return false
		}
	}
	open := a.ElementType != (schema.TypeRef{})
	return open == (b.ElementType != (schema.TypeRef{})) && (!open || s.refs(a.ElementType, b.ElementType))
}
