// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// The functions in this file define the meaning of null and of absent fields. With declarative
// defaults (KEP-1929), comparisons treat an absent field as equal to its default. If the field is
// not nullable, they treat a null in the same way. Comparisons do not change the values.

// Nullable reports whether comparisons and merges treat null as an ordinary value of type n. It
// returns true for data without a schema. Defaulting has a different rule (see graph.Node.KeepsNull).
func Nullable(n *graph.Node) bool {
	return n.Nullable || n.Scalar == graph.Untyped && n.Map != nil && n.List != nil
}

// FieldAt returns the type of a field, and a pointer to the default that the field declares. For a
// field that m does not declare, the two are the type and the default of undeclared fields, and
// declared is false.
func FieldAt(m *graph.Map, name string) (t *graph.Node, def *any, declared bool) {
	if f := m.Field(name); f != nil {
		return f.Type, &f.Default, true
	}
	return m.Elem, &m.ElemDefault, false
}

// NearestDefault returns a pointer to the default of a field or item of type t, or nil if it has no
// default. A default that the field or item itself declares takes precedence over the default of
// the type. def points to the declared default, and may be nil.
func NearestDefault(t *graph.Node, def *any) *any {
	if def == nil || *def == nil {
		def = &t.Default
	}
	if *def == nil {
		return nil
	}
	return def
}

// meaning returns the effective value of a field or item of type n. Usually this is v. If v is
// absent, or is a null that the type does not allow, the effective value is the default: the one at
// def, or else the default of n. If there is no such default, the boolean is false.
func meaning(n *graph.Node, def *any, v any, present bool) (any, bool) {
	if present && (v != nil || Nullable(n)) {
		return v, true
	}
	if def = NearestDefault(n, def); def != nil {
		return *def, true
	}
	return nil, false
}

// NullValue returns the effective value of a field that is null. If the field is nullable, this is
// null itself. Otherwise it is the default of the field. If the field has no default, the null
// means that the field is absent, and the boolean is false.
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

// EquivalentField reports whether v and u, two values of the field with the given name, are
// equivalent. If u is absent, present is false. If m does not declare the field, a null counts as
// the default of undeclared fields, but an absent field does not.
func EquivalentField(m *graph.Map, name string, v, u any, present bool) bool {
	t, def, declared := FieldAt(m, name)
	if !present && !declared {
		_, hasValue := meaning(t, def, v, true)
		return !hasValue
	}
	return equivalent(t, def, v, true, u, present)
}
