// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Prune returns v, a value of type n, without the fields that its schema does not declare, as the
// API server prunes custom resources. graph.Map.Undeclared decides whether a map loses undeclared
// fields. A map loses all its fields in these cases:
//
//   - Its type does not allow maps.
//   - It is in a list whose type does not allow lists.
//   - It is in a list whose type allows any value and drops all fields.
//   - It is in an undeclared field, and Undeclared is graph.KeptShallow.
//
// Scalars, nulls and list items stay. If the type is missing or allows no value, the whole value
// stays.
//
// The result shares unchanged parts with v. If own is true, Prune may modify the maps and lists of
// v. Otherwise it does not modify v. If nothing changes, and v contains no map[any]any, it allocates
// nothing. It fails only if v is nested too deep. If own is true, some fields may then already be
// removed from v.
func Prune(n *graph.Node, v any, own bool) (out any, changed bool, findings diag.Findings) {
	p := pruner{own: own}
	out, changed = p.value(n, v)
	if p.Exceeded {
		return nil, false, data.DepthFindings()
	}
	return out, changed, nil
}

// UnknownFields returns the sorted paths of the fields that Prune would remove. The paths
// identify list items by index. It fails only if v is nested too deep.
func UnknownFields(n *graph.Node, v any) (paths []fieldpath.Path, findings diag.Findings) {
	p := pruner{collect: true}
	p.unknown.path = func(p *fieldpath.Path) *fieldpath.Path { return p }
	p.value(n, v)
	if p.Exceeded {
		return nil, data.DepthFindings()
	}
	return p.unknown.sorted(fieldpath.Path.Compare), nil
}

// pruner removes or lists unknown fields.
type pruner struct {
	own     bool                          // whether the walk may modify the maps and lists of the value
	collect bool                          // whether the walk lists unknown fields instead of removing them
	unknown pathCollector[fieldpath.Path] // the paths of unknown fields, if collect is true
	data.DepthLimit
}

// value prunes a value of type n, and returns it. If n is nil, all maps in the value lose all their
// fields. The boolean reports whether it modified v or returned a changed copy.
func (p *pruner) value(n *graph.Node, v any) (any, bool) {
	if p.Exceeded || n != nil && !n.MayPrune {
		return v, false
	}
	switch x := v.(type) {
	case map[string]any, map[any]any:
		entries := data.AsMap(x)
		if len(entries) == 0 || !p.EnterLevel() {
			return v, false
		}
		var m *graph.Map
		if n != nil {
			m = n.Map
		}
		out := p.fields(m, entries)
		p.LeaveLevel()
		return out.Of(v)
	case []any:
		if len(x) == 0 || !p.EnterLevel() {
			return v, false
		}
		out := p.items(itemType(n), x)
		p.LeaveLevel()
		return out.Of(v)
	}
	return v, false
}

// fields prunes a map. If p.collect is true, it adds the unknown fields to p.unknown instead of
// removing them. If m is nil, all fields are unknown.
func (p *pruner) fields(m *graph.Map, x map[string]any) data.EditedMap {
	out := data.EditedMap{Map: x, Own: p.own}
	for name, c := range x {
		t, stays := fieldType(m, name)
		switch {
		case stays && !data.IsScalar(c):
			mark := len(p.unknown.all)
			if pruned, ok := p.value(t, c); ok {
				out.Put(name, pruned)
			}
			p.unknown.addParent(mark, func() fieldpath.PathElement { return fieldpath.FieldNameElement(name) })
		case !stays && p.collect:
			p.unknown.all = append(p.unknown.all, fieldpath.Path{fieldpath.FieldNameElement(name)})
		case !stays:
			out.Delete(name)
		}
	}
	return out
}

// itemType returns the type for pruning the items of a list of type n. The type is nil if the
// items lose all their fields. This is the case if n does not allow lists, or if n allows any
// value and drops all fields.
func itemType(n *graph.Node) *graph.Node {
	if n == nil || n.List == nil {
		return nil
	}
	if m := n.Map; n.Scalar == graph.Untyped && m != nil && m.Undeclared == graph.Dropped && m.Open && len(m.Fields) == 0 {
		return nil
	}
	return n.List.Item
}

// fieldType returns the type for pruning the value of a field, or nil if the value loses all its
// fields. stays is false if the field itself is removed. The type then has no meaning. If m is nil,
// every field is removed.
func fieldType(m *graph.Map, name string) (t *graph.Node, stays bool) {
	if m == nil {
		return nil, false
	}
	if f := m.Field(name); f != nil {
		return f.Type, true
	}
	if m.Undeclared == graph.KeptShallow {
		return nil, true
	}
	return m.Elem, m.Undeclared == graph.Kept // if m is not open, Elem allows no value, so nothing in the field is pruned
}

// items prunes the items of a list. t is the type of the items, or nil if they lose all their fields.
func (p *pruner) items(t *graph.Node, x []any) data.EditedList {
	out := data.EditedList{List: x, Own: p.own}
	if t != nil && !t.MayPrune {
		return out
	}
	for i, c := range x {
		if data.IsScalar(c) {
			continue
		}
		mark := len(p.unknown.all)
		if pruned, ok := p.value(t, c); ok {
			out.Put(i, pruned)
		}
		p.unknown.addParent(mark, func() fieldpath.PathElement { return fieldpath.IndexElement(i) })
	}
	return out
}
