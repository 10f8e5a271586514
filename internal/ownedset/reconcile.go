// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownedset

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
)

// Reconcile carries a stored field set over to the schema of today: what lies
// below a container that has become atomic is owned as that container, and with
// declarative defaults the keys that elements lack are filled. It returns nil if set
// is as it should be. A container that is no longer atomic
// leaves its owner with the container alone.
//
// Types without a declared schema are left alone; paths that the schema does
// not know are too.
func Reconcile(n *graph.Node, set *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	if n.Missing {
		return nil, Unresolved(n)
	}
	if reconciled(n, set) {
		return nil, nil
	}
	r := reconciler{}
	if Swallows(n, set) {
		return set.Copy(), nil
	}
	out := r.below(n, set)
	if r.wrong != nil || out == set {
		return nil, r.wrong
	}
	return out, nil
}

// reconciled says whether set, of a type n, is as it should be. It is Reconcile for
// sets that are, as most are, and says no where it takes a closer look to know.
func reconciled(n *graph.Node, set *fieldpath.Set) bool {
	if !n.Reconciles {
		return true
	}
	if !n.ReconciledItself {
		return false
	}
	children := set.Children.Sorted()
	m := n.Map
	if m == nil {
		if n.Scalar != graph.NoScalar || !n.List.Item.Reconciles {
			return true
		}
		item := n.List.Item
		for i := range children {
			if below := children[i].Set; !item.ReconciledItself || len(below.Children.Sorted()) > 0 && !reconciled(item, below) {
				return false
			}
		}
		return true
	}
	if m.Deduced {
		return true
	}
	for i := range children {
		c := &children[i]
		if t := m.ToReconcile(c.PathElement.FieldName); t != nil {
			if !t.ReconciledItself || len(c.Set.Children.Sorted()) > 0 && !reconciled(t, c.Set) {
				return false
			}
		}
	}
	return true
}

type reconciler struct{ wrong diag.Findings }

func Unresolved(n *graph.Node) diag.Findings {
	return diag.Newf(diag.BadSchema, "could not resolve %v", n.Type)
}

// Swallows says whether a container of type n, of which set is owned piece by
// piece, is owned as a whole.
func Swallows(n *graph.Node, set *fieldpath.Set) bool {
	switch data.FirstKind(n.Kinds()) {
	case graph.MapKind:
		return !n.Map.Deduced && n.Map.Atomic && set.Size() > 0
	case graph.ListKind:
		return n.List.IsAtomic()
	}
	return false
}

// below reconciles what a set holds of a value of type n. It returns set itself
// if nothing changes.
func (r *reconciler) below(n *graph.Node, set *fieldpath.Set) *fieldpath.Set {
	if !n.Reconciles {
		return set
	}
	switch data.FirstKind(n.Kinds()) {
	case graph.MapKind:
		if n.Map.Deduced || n.Map.Atomic {
			return set
		}
	case graph.ListKind:
		if n.List.IsAtomic() {
			return set
		}
		if n.Declarative {
			set = item.FillKeys(n.List, set)
		}
	case 0:
		r.wrong = append(r.wrong, data.NoKind(n)...)
		return set
	default:
		return set
	}
	r.members(n, set)
	children := set.Children.Sorted()
	var members, kept = []fieldpath.PathElement(nil), []fieldpath.SetNode(nil)
	changed := false
	for i := range children {
		c := &children[i]
		t, ok := TypeAt(n, &c.PathElement)
		below := c.Set
		switch {
		case !ok || !t.Reconciles || t.ReconciledItself && len(c.Set.Children.Sorted()) == 0:
		case t.Missing:
			r.wrong = append(r.wrong, Unresolved(t)...)
		case Swallows(t, c.Set):
			below = nil
		default:
			below = r.below(t, c.Set)
		}
		if below != c.Set && !changed {
			changed = true
			kept = append(make([]fieldpath.SetNode, 0, len(children)), children[:i]...)
		}
		if below == nil {
			members = append(members, c.PathElement)
		} else if changed {
			kept = append(kept, fieldpath.SetNode{PathElement: c.PathElement, Set: below})
		}
	}
	if !changed {
		return set
	}
	all := fieldpath.FromSorted(set.Members.Sorted(), nil).Copy()
	for _, pe := range members {
		all.Members.Insert(pe)
	}
	if len(kept) == 0 {
		kept = nil
	}
	return fieldpath.FromSorted(all.Members.Sorted(), kept)
}

// members checks the types of the members, of which nothing else is to know.
func (r *reconciler) members(n *graph.Node, set *fieldpath.Set) {
	if n.Sound {
		return
	}
	for _, pe := range set.Members.Sorted() {
		if _, ok := set.Children.Get(pe); ok {
			continue
		}
		if t, ok := TypeAt(n, &pe); ok && t.Missing {
			r.wrong = append(r.wrong, Unresolved(t)...)
		} else if ok && t.Kinds() == 0 {
			r.wrong = append(r.wrong, data.NoKind(t)...)
		}
	}
}

// TypeAt returns the type of what pe names in a value of type n, false for
// fields that the schema does not know.
func TypeAt(n *graph.Node, pe *fieldpath.PathElement) (*graph.Node, bool) {
	if n.Map == nil {
		return n.List.Item, true
	}
	if pe.FieldName != nil {
		if f := n.Map.Field(*pe.FieldName); f != nil {
			return f.Type, f.Known()
		}
	}
	return n.Map.Elem, n.Map.Open
}

// Reconciled says whether Reconcile would leave a field set alone. fields is the
// set as decoded FieldsV1, in the form in which sets are written: objects in
// objects, none of them with nothing but ".". It also returns false where only
// the set itself can tell.
func Reconciled(n *graph.Node, fields map[string]any) bool {
	reconciled, known := ReconciledBy(n)
	if known || len(fields) == 0 {
		return reconciled && len(fields) > 0
	}
	for key, v := range fields {
		below, _ := v.(map[string]any)
		if len(below) == 0 {
			continue
		}
		if t, ok := TypeAtKey(n, key); ok && !Reconciled(t, below) {
			return false
		}
	}
	return true
}

// ReconciledBy is Reconciled for any fields of a type that are not empty. known is false
// if it depends on what is below them, see TypeAtKey.
func ReconciledBy(n *graph.Node) (reconciled, known bool) {
	if n.Missing {
		return false, true
	}
	if !n.Reconciles {
		return true, true
	}
	switch data.FirstKind(n.Kinds()) {
	case graph.MapKind:
		if n.Map.Deduced {
			return true, true
		}
		if n.Map.Atomic {
			return false, true
		}
	case graph.ListKind:
		if n.List.IsAtomic() || n.Declarative {
			return false, true
		}
	default:
		return n.Kinds() != 0, true
	}
	return false, !n.Sound
}

// TypeAtKey is TypeAt for the element that a key of FieldsV1 stands for.
func TypeAtKey(n *graph.Node, key string) (*graph.Node, bool) {
	var pe fieldpath.PathElement
	if name, ok := strings.CutPrefix(key, "f:"); ok {
		pe.FieldName = &name
	}
	return TypeAt(n, &pe)
}
