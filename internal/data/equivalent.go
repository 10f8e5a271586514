// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// Only this file defines the meaning of null and of an absent field. With declarative defaults
// (KEP-1929), all comparisons treat three things as equivalent: an absent field, a null of a
// type that is not nullable, and the default of the field. A comparison does not change the
// values, and does not fill in defaults.

// Nullable reports whether comparisons and merges treat null as an ordinary value of type n. It
// returns true for data without a schema.
func Nullable(n *graph.Node) bool {
	return n.Nullable || n.Scalar == graph.Untyped && n.Map != nil && n.List != nil
}

// TakesNull reports whether defaulting keeps a null of type n. It returns true for nullable
// types. It also returns true for types that allow any value, except with a structural schema.
func TakesNull(n *graph.Node) bool {
	return n.Nullable || Nullable(n) && !n.Map.Structural
}

// FieldAt returns the type of a field, and a pointer to the field's own default. If m does not
// declare the field, declared is false, and FieldAt returns the type and the default of
// undeclared fields.
func FieldAt(m *graph.Map, name string) (t *graph.Node, def *any, declared bool) {
	if f := m.Field(name); f != nil {
		return f.Type, &f.Default, true
	}
	return m.Elem, &m.ElemDefault, false
}

// NearestDefault returns a pointer to the default of a field or item of type t, or nil if there
// is none. def points to the field's or item's own default, which takes precedence over the
// default of the type. def may be nil.
func NearestDefault(t *graph.Node, def *any) *any {
	if def == nil || *def == nil {
		def = &t.Default
	}
	if *def == nil {
		return nil
	}
	return def
}

// meaning returns the effective value of v in a field or item of type n, whose own default is
// def. If v is absent, or is a null that the type does not allow, the effective value is the
// default. Otherwise it is v. The boolean is false if there is no effective value.
func meaning(n *graph.Node, def *any, v any, present bool) (any, bool) {
	if present && (v != nil || Nullable(n)) {
		return v, true
	}
	if def = NearestDefault(n, def); def != nil {
		return *def, true
	}
	return nil, false
}

// NullValue returns the value that a null in the field with the given name stands for. The
// boolean is false if the null stands for an absent field.
func NullValue(m *graph.Map, name string) (any, bool) {
	t, def, _ := FieldAt(m, name)
	return meaning(t, def, nil, true)
}

// NullIsAbsent reports whether a null in the field with the given name means that the field is
// absent. This is true with declarative defaults if the field does not allow null and has no
// default.
func NullIsAbsent(m *graph.Map, name string) bool {
	t, def, _ := FieldAt(m, name)
	_, hasValue := meaning(t, def, nil, true)
	return t.Declarative && !hasValue
}

// Equivalent reports whether x and y, two values of type n, are equal. With declarative
// defaults, null, an absent field and its default count as equal. Without declarative defaults,
// Equivalent returns the result of value.EqualUnstructured.
func Equivalent(n *graph.Node, x, y any) bool {
	if n.Declarative {
		return equivalent(n, nil, x, true, y, true)
	}
	return value.EqualUnstructured(x, y)
}

// equivalent reports whether x and y are equivalent in a field or item of type n, whose own
// default is def. hasX and hasY report whether x and y are present.
func equivalent(n *graph.Node, def *any, x any, hasX bool, y any, hasY bool) bool {
	x, hasX = meaning(n, def, x, hasX)
	y, hasY = meaning(n, def, y, hasY)
	if !hasX || !hasY {
		return hasX == hasY
	}
	if n.Map != nil && ClassOf(x) == Mapping && ClassOf(y) == Mapping {
		return equivalentFields(n.Map, AsMap(x), AsMap(y))
	}
	if n.List != nil {
		a, ok := x.([]any)
		b, too := y.([]any)
		if ok && too {
			return slices.EqualFunc(a, b, func(x, y any) bool {
				return equivalent(n.List.Item, &n.List.ItemDefault, x, true, y, true)
			})
		}
	}
	return value.EqualUnstructured(x, y)
}

func equivalentFields(m *graph.Map, x, y map[string]any) bool {
	for name, v := range x {
		u, ok := y[name]
		if !EquivalentField(m, name, v, u, ok) {
			return false
		}
	}
	for name, u := range y {
		if _, ok := x[name]; !ok && !EquivalentField(m, name, u, nil, false) {
			return false
		}
	}
	return true
}

// EquivalentField reports whether v and u are equivalent values of the field with the given
// name. present is false if u is absent. If the field is undeclared, a null counts as the default of
// the map's values, and an absent value does not.
func EquivalentField(m *graph.Map, name string, v, u any, present bool) bool {
	t, def, declared := FieldAt(m, name)
	if !present && !declared {
		_, hasValue := meaning(t, def, v, true)
		return !hasValue
	}
	return equivalent(t, def, v, true, u, present)
}
