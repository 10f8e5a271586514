// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// DropUnknown returns v, a value of type n, without the fields that its schema
// does not know, as the API server prunes custom resources: undeclared fields of
// a map go where graph.Map.Undeclared says so. Where a map or a list stands that
// the type does not allow, nothing of it is known: the map loses all fields, and
// so do the maps in the list; likewise of a type that allows anything and drops
// all fields. Scalars, nulls and items stay.
//
// It is not Prune, which takes away what a manager has given up. What does not
// change is v's own, and v is left alone unless own is set: then its containers
// are written to. Nothing is allocated if nothing changes.
func DropUnknown(n *graph.Node, v any, own bool) (out any, changed bool, wrong diag.Findings) {
	u := unknowns{own: own}
	out, changed = u.value(n, v)
	if u.deep {
		return nil, false, data.TooDeep()
	}
	return out, changed, nil
}

// UnknownFields returns the paths of what DropUnknown drops, sorted; items are
// known by their index.
func UnknownFields(n *graph.Node, v any) (paths []fieldpath.Path, wrong diag.Findings) {
	u := unknowns{list: true}
	u.value(n, v)
	if u.deep {
		return nil, data.TooDeep()
	}
	for _, p := range u.found {
		slices.Reverse(p)
	}
	slices.SortFunc(u.found, fieldpath.Path.Compare)
	return u.found, nil
}

// unknowns is a walk that drops unknown fields, or lists them.
type unknowns struct {
	own, list bool
	// found are the paths of unknown fields, the last element first: they grow
	// while the walk unwinds.
	found []fieldpath.Path
	depth int
	deep  bool
}

// value walks a value of type n, of which nothing is known if n is nil. It says
// whether the result is another container, or one that was written to.
func (u *unknowns) value(n *graph.Node, v any) (any, bool) {
	if u.deep || n != nil && !n.Drops {
		return v, false
	}
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 || !u.enter() {
			return v, false
		}
		var m *graph.Map
		if n != nil {
			m = n.Map
		}
		out, changed := u.fields(m, x)
		u.depth--
		return out, changed
	case []any:
		if len(x) == 0 || !u.enter() {
			return v, false
		}
		out, changed := u.items(knownItem(n), x)
		u.depth--
		if changed {
			return out, true
		}
	case map[any]any:
		if out, changed := u.value(n, data.AsMap(v)); changed {
			return out, true
		}
	}
	return v, false
}

// enter goes one level down, if that is not too deep.
func (u *unknowns) enter() bool {
	if u.depth == data.MaxDepth {
		u.deep = true
		return false
	}
	u.depth++
	return true
}

// fields walks a map; without m nothing of it is known.
func (u *unknowns) fields(m *graph.Map, x map[string]any) (map[string]any, bool) {
	out, changed := x, false
	edit := func() map[string]any {
		if !changed && !u.own {
			out = maps.Clone(x)
		}
		changed = true
		return out
	}
	for name, c := range x {
		t, known := knownField(m, name)
		if !known {
			if u.list {
				u.found = append(u.found, fieldpath.Path{fieldpath.FieldNameElement(name)})
			} else {
				delete(edit(), name)
			}
			continue
		}
		switch c.(type) {
		case map[string]any, []any, map[any]any:
			mark := len(u.found)
			if kept, ok := u.value(t, c); ok {
				edit()[name] = kept
			}
			if len(u.found) > mark {
				u.under(mark, fieldpath.FieldNameElement(name))
			}
		}
	}
	return out, changed
}

// knownItem returns the type of the items of a list, nil if nothing is known of
// them. A type that allows anything and yet drops all fields knows nothing.
func knownItem(n *graph.Node) *graph.Node {
	if n == nil || n.List == nil {
		return nil
	}
	if m := n.Map; n.Scalar == graph.Untyped && m != nil && m.Undeclared == graph.Dropped && m.Open && len(m.Fields) == 0 {
		return nil
	}
	return n.List.Item
}

// knownField returns the type of a field, nil if nothing is known of it, and
// whether it is kept.
func knownField(m *graph.Map, name string) (*graph.Node, bool) {
	if m == nil {
		return nil, false
	}
	if f := m.Field(name); f != nil {
		return f.Type, true
	}
	if m.Undeclared == graph.KeptShallow {
		return nil, true
	}
	return m.Elem, m.Undeclared == graph.Kept
}

func (u *unknowns) items(item *graph.Node, x []any) ([]any, bool) {
	if item != nil && !item.Drops {
		return x, false
	}
	out, changed := x, false
	for i, c := range x {
		switch c.(type) {
		case map[string]any, []any, map[any]any:
			mark := len(u.found)
			if kept, ok := u.value(item, c); ok {
				if !changed && !u.own {
					out = slices.Clone(x)
				}
				changed = true
				out[i] = kept
			}
			if len(u.found) > mark {
				u.under(mark, fieldpath.IndexElement(i))
			}
		}
	}
	return out, changed
}

// under puts what was found since a mark below a path element.
func (u *unknowns) under(mark int, pe fieldpath.PathElement) {
	for i := mark; i < len(u.found); i++ {
		u.found[i] = append(u.found[i], pe)
	}
}
