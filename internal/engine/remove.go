// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/edition"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// Remove returns v, a value of type n, without the paths of set. A container
// that loses all it had becomes null. Nothing can be removed from an atomic
// container but the whole; being asked to leaves null. What no path leads to is
// shared with v.
//
// With declarative defaults null is no value of most containers: one that loses all
// it had is empty, and an atomic one that loses a part goes.
func Remove(n *graph.Node, v any, set *fieldpath.Set) any {
	w := newWalker()
	defer w.done()
	return (&remover{w: w, set: set, declarative: n.Declarative}).value(n, v, set)
}

// GiveUp is Remove of what somebody gives up, and says whether all items of lists
// are still items: one may lose its keys, or all its fields and become null. With
// declarative defaults none does, see KeepingKeys.
func GiveUp(n *graph.Node, v any, set *fieldpath.Set) (out any, whole bool) {
	w := newWalker()
	defer w.done()
	r := remover{w: w, set: set, declarative: n.Declarative, keepKeys: n.Declarative}
	out = r.value(n, v, set)
	return out, !r.lostItem
}

// Extract returns what is left of v, a value of type n, when all but the paths
// of set goes. Items and atomic containers stay whole when set has them.
func Extract(n *graph.Node, v any, set *fieldpath.Set) any {
	w := newWalker()
	defer w.done()
	return (&remover{w: w, set: set, extract: true, version4: edition.V4.Is()}).value(n, v, set)
}

// RemovedWhole says whether v, a value of type n, is a container of which Remove
// leaves null however little is removed: one that is empty or atomic.
func RemovedWhole(n *graph.Node, v any) bool {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		return v != nil && (n.Map.Atomic || len(data.AsMap(v)) == 0)
	case graph.ListKind:
		return v != nil && (n.List.IsAtomic() || len(data.AsList(v)) == 0)
	}
	return false
}

type remover struct {
	w       *walker
	set     *fieldpath.Set // the whole of it
	asked   bool           // whether it is dense
	dense   bool
	extract bool
	// version4 says that empty containers become null when something is extracted,
	// and what an item loses that is a member is what the list around it loses.
	version4    bool
	declarative bool // not with extract
	keepKeys    bool
	lostItem    bool
}

// hasPaths says whether a part of the set has paths. Where parts have only others below
// them, to ask each would count depth twice: whether any is empty is found out once.
func (r *remover) hasPaths(part *fieldpath.Set) bool {
	if part.Members.Size() > 0 {
		return true
	}
	if !r.asked {
		r.asked, r.dense = true, dense(r.set)
	}
	return r.dense || !part.Empty()
}

// dense says whether every part of a set has a path.
func dense(set *fieldpath.Set) bool {
	for _, child := range set.Children.Sorted() {
		part := child.Set
		if part.Members.Size() == 0 && len(part.Children.Sorted()) == 0 || !dense(part) {
			return false
		}
	}
	return true
}

func (r *remover) value(n *graph.Node, v any, set *fieldpath.Set) any {
	m, l, c := data.AsMap(v), data.AsList(v), data.ClassOf(v)
	none := len(m)+len(l) == 0
	switch kind := data.KindFor(n, v); {
	case kind == graph.ScalarKind:
		return v
	case kind == 0, kind == graph.MapKind && c != data.Mapping, kind == graph.ListKind && c != data.List:
		return nil
	case none && r.declarative:
		return v
	case none, kind == graph.MapKind && n.Map.Atomic, kind == graph.ListKind && n.List.IsAtomic():
		if r.extract && !(r.version4 && none) {
			return v
		}
		return nil
	case kind == graph.ListKind:
		return r.list(n.List, l, set)
	case r.extract:
		return r.extractMap(n.Map, m, set)
	}
	return r.removeMap(n.Map, m, set)
}

func (r *remover) removeMap(m *graph.Map, x map[string]any, set *fieldpath.Set) any {
	members := set.Members.Sorted()
	left := len(x)
	for i := range members {
		if name := members[i].FieldName; name != nil {
			if _, ok := x[*name]; ok {
				left--
			}
		}
	}
	if left == 0 {
		if r.declarative {
			return map[string]any{}
		}
		return nil
	}
	out := without(x, members, left)
	for _, child := range set.Children.Sorted() {
		if name := child.PathElement.FieldName; name != nil {
			if v, ok := out[*name]; ok && r.hasPaths(child.Set) {
				if out[*name] = r.value(m.At(*name), v, child.Set); out[*name] == nil && v != nil && r.declarative {
					delete(out, *name)
				}
			}
		}
	}
	return out
}

// without is a copy of x without the members of a set, of which left fields are left.
func without(x map[string]any, members []fieldpath.PathElement, left int) map[string]any {
	if left > len(x)/2 {
		out := maps.Clone(x)
		for i := range members {
			if name := members[i].FieldName; name != nil {
				delete(out, *name)
			}
		}
		return out
	}
	out := make(map[string]any, left)
	for name, v := range x {
		if _, gone := slices.BinarySearchFunc(members, name, ownedset.ByName); !gone {
			out[name] = v
		}
	}
	return out
}

// extractMap looks for what is below a field that is itself a member in the
// set of the map, not of the field, as structured-merge-diff does.
func (r *remover) extractMap(m *graph.Map, x map[string]any, set *fieldpath.Set) any {
	out := map[string]any{}
	for name, v := range x {
		pe := fieldpath.PathElement{FieldName: &name}
		if set.Members.Has(pe) {
			out[name] = r.value(m.At(name), v, set)
		} else if below, ok := set.Children.Get(pe); ok && r.hasPaths(below) {
			out[name] = r.value(m.At(name), v, below)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (r *remover) list(l *graph.List, x []any, set *fieldpath.Set) any {
	var out []any
	for _, v := range x {
		pe := r.w.Element(l, v)
		member := set.Members.Has(pe)
		if member && !r.extract {
			continue
		}
		if member && r.version4 {
			out = append(out, r.value(l.Item, v, set))
			member = false // Once more if the set has paths below it, too.
		}
		below, ok := set.Children.Get(pe)
		if ok = ok && r.hasPaths(below); ok {
			if r.keepKeys {
				below = ownedset.KeepingKeys(l, v, below)
			}
			left := r.value(l.Item, v, below)
			if left == nil && v != nil && r.declarative {
				continue
			}
			v = left
			r.lostItem = r.lostItem || !item.Identified(l, v)
		}
		if ok || member || !r.extract {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		if r.declarative {
			return []any{}
		}
		return nil
	}
	return out
}
