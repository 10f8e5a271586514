// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// This file is the one place that says what null stands for, and what absent does. With
// declarative defaults (KEP-1929) an absent field, a null where null is no value, and the
// field's default are equivalent to every comparison. Nothing is filled in for that; the
// values stay as they are written.

// Nullable says whether null is a value of type n to comparisons and merges. Where there
// is no schema it is, since nothing says otherwise.
func Nullable(n *graph.Node) bool {
	return n.Nullable || n.Scalar == graph.Untyped && n.Map != nil && n.List != nil
}

// TakesNull says whether null stays null where defaults are filled in: a structural
// schema that says nothing of null does not take it, whatever else it allows.
func TakesNull(n *graph.Node) bool {
	return n.Nullable || Nullable(n) && !n.Map.Structural
}

// FieldAt returns the type of a field and where its own default is, or those of the values
// of a map, which are not declared.
func FieldAt(m *graph.Map, name string) (t *graph.Node, def *any, declared bool) {
	if f := m.Field(name); f != nil {
		return f.Type, &f.Default, true
	}
	return m.Elem, &m.ElemDefault, false
}

// NearestDefault returns where the schema has the default of a place of type t whose own default
// is def, nil if it has none: the nearest one counts.
func NearestDefault(t *graph.Node, def *any) *any {
	if def == nil || *def == nil {
		def = &t.Default
	}
	if *def == nil {
		return nil
	}
	return def
}

// means returns what v, present or not, stands for at a place of type n whose own default
// is def: itself, a default, or nothing.
func means(n *graph.Node, def *any, v any, present bool) (any, bool) {
	if present && (v != nil || Nullable(n)) {
		return v, true
	}
	if def = NearestDefault(n, def); def != nil {
		return *def, true
	}
	return nil, false
}

// NullMeans is means for a null that is the field of that name.
func NullMeans(m *graph.Map, name string) (any, bool) {
	t, def, _ := FieldAt(m, name)
	return means(t, def, nil, true)
}

// NullSaysNothing says whether a null for the field of that name stands for nothing, as if
// the field were absent.
func NullSaysNothing(m *graph.Map, name string) bool {
	t, def, _ := FieldAt(m, name)
	_, something := means(t, def, nil, true)
	return t.Declarative && !something
}

// Equivalent says whether x and y, values of type n, are equal when null, absent and a
// default stand for each other, as they do with declarative defaults only.
func Equivalent(n *graph.Node, x, y any) bool {
	if n.Declarative {
		return equivalent(n, nil, x, true, y, true)
	}
	return value.EqualUnstructured(x, y)
}

// equivalent says whether x and y, each present or not, stand for the same at a place of
// type n whose own default is def.
func equivalent(n *graph.Node, def *any, x any, hasX bool, y any, hasY bool) bool {
	x, hasX = means(n, def, x, hasX)
	y, hasY = means(n, def, y, hasY)
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

// EquivalentField says whether v, and u if it is present, stand for the same as the field
// of that name. A map's default for its values is for those that are null, not for those
// that are absent.
func EquivalentField(m *graph.Map, name string, v, u any, present bool) bool {
	t, def, declared := FieldAt(m, name)
	if !present && !declared {
		_, something := means(t, def, v, true)
		return !something
	}
	return equivalent(t, def, v, true, u, present)
}
