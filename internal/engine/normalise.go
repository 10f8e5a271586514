// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

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
				def, _ := nullMeans(n.Map, name)
				drop, kept = false, withoutSome(t, Clone(def), all)
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
