// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// With declarative defaults (KEP-1929) an absent field, a null where null is no
// value, and the field's default are one and the same to every comparison.
// Nothing is filled in for that; the values stay as they are written.

// nullable says whether null is a value of type n. Where there is no schema it
// is, since nothing says otherwise.
func nullable(n *graph.Node) bool {
	return n.Nullable || n.Scalar == graph.Untyped && n.Map != nil && n.List != nil
}

// read returns what v, present or not, stands for at a place of type n whose
// own default is def: itself, a default, or nothing.
func read(n *graph.Node, def, v any, present bool) (any, bool) {
	switch {
	case present && (v != nil || nullable(n)):
		return v, true
	case def != nil:
		return def, true
	}
	return n.Default, n.Default != nil
}

// same says whether x and y, each present or not, stand for the same at a place
// of type n whose own default is def.
func same(n *graph.Node, def, x any, hasX bool, y any, hasY bool) bool {
	x, hasX = read(n, def, x, hasX)
	y, hasY = read(n, def, y, hasY)
	if !hasX || !hasY {
		return hasX == hasY
	}
	if n.Map != nil && classOf(x) == mapping && classOf(y) == mapping {
		return sameFields(n.Map, asMap(x), asMap(y))
	}
	if n.List != nil {
		a, ok := x.([]any)
		b, too := y.([]any)
		if ok && too {
			return sameItems(n.List, a, b)
		}
	}
	return value.EqualUnstructured(x, y)
}

// Same says whether x and y, values of type n, stand for the same.
func Same(n *graph.Node, x, y any) bool {
	return value.EqualUnstructured(x, y) || n.Declarative && same(n, nil, x, true, y, true)
}

func sameFields(m *graph.Map, x, y map[string]any) bool {
	for name, v := range x {
		u, ok := y[name]
		if !sameField(m, name, v, u, ok) {
			return false
		}
	}
	for name, u := range y {
		if _, ok := x[name]; !ok && !sameField(m, name, u, nil, false) {
			return false
		}
	}
	return true
}

// sameField says whether v, and u if it is present, stand for the same as the
// field of that name. A map's default for its values is for those that are null,
// not for those that are absent.
func sameField(m *graph.Map, name string, v, u any, present bool) bool {
	t, def, declared := fieldAt(m, name)
	if !present && !declared {
		_, something := read(t, def, v, true)
		return !something
	}
	return same(t, def, v, true, u, present)
}

// saysNothing says whether a null for the field of that name stands for
// nothing, as if the field were absent.
func saysNothing(m *graph.Map, name string) bool {
	t, def, _ := fieldAt(m, name)
	if !t.Declarative {
		return false
	}
	_, something := read(t, def, nil, true)
	return !something
}

// fieldAt returns the type of a field and its own default, or those of the values
// of a map, which are not declared.
func fieldAt(m *graph.Map, name string) (t *graph.Node, def any, declared bool) {
	if f := m.Field(name); f != nil {
		return f.Type, f.Default, true
	}
	return m.Elem, m.ElemDefault, false
}

// standsFor returns the default that a null for the field of that name, which is
// no value there, stands for; nil if it stands for nothing.
func standsFor(m *graph.Map, name string) any {
	t, def, _ := fieldAt(m, name)
	v, _ := read(t, def, nil, true)
	return Clone(v)
}

func sameItems(l *graph.List, a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(l.Item, l.ItemDefault, a[i], true, b[i], true) {
			return false
		}
	}
	return true
}

// withoutNulls returns v, a value of type n, without the fields that are null
// where null is no value: they stand for what is there without them. Values of
// maps do not, and become the default that they stand for. It is v itself if there
// are none.
func withoutNulls(n *graph.Node, v any) any { return withoutSome(n, v, true) }

// withoutSome is withoutNulls, or drops only the nulls that have no default to
// stand for.
func withoutSome(n *graph.Node, v any, all bool) any {
	switch kindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return v
		}
		x := asMap(v)
		var out map[string]any
		for name, c := range x {
			t := n.Map.At(name)
			kept := withoutSome(t, c, all)
			drop := c == nil && !nullable(t) && (all || saysNothing(n.Map, name))
			if drop && n.Map.Field(name) == nil && !saysNothing(n.Map, name) {
				drop, kept = false, withoutSome(t, standsFor(n.Map, name), all)
			}
			if !drop && sameHeader(kept, c) {
				continue
			}
			if out == nil {
				out = maps.Clone(x)
			}
			if drop {
				delete(out, name)
			} else {
				out[name] = kept
			}
		}
		if out != nil {
			return out
		}
	case graph.ListKind:
		if n.List.Relation == graph.Atomic {
			return v
		}
		x := asList(v)
		var out []any
		for i, c := range x {
			kept := c
			if all {
				kept = withoutUnsetKeys(n.List, c)
			}
			if kept = withoutSome(n.List.Item, kept, all); !sameHeader(kept, c) {
				if out == nil {
					out = slices.Clone(x)
				}
				out[i] = kept
			}
		}
		if out != nil {
			return out
		}
	}
	return v
}

// Meant returns v, a value of type n, without the nulls that stand for nothing.
// changed says whether it has any.
func Meant(n *graph.Node, v any) (out any, changed bool) {
	out = withoutSome(n, v, false)
	return out, !sameHeader(out, v)
}

// withoutUnsetKeys returns item without the keys that count as missing though
// they are written, other than as null.
func withoutUnsetKeys(l *graph.List, item any) any {
	var out map[string]any
	for i := range l.Keys {
		k := &l.Keys[i]
		if !k.ZeroIsMissing {
			continue
		}
		x := asMap(item)
		if v, ok := x[k.Name]; ok && v != nil && missing(k, v) {
			if out == nil {
				out = maps.Clone(x)
			}
			delete(out, k.Name)
		}
	}
	if out == nil {
		return item
	}
	return out
}
