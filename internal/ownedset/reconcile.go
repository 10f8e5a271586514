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

// Reconcile converts a stored field set to the current schema. If a list or map is now atomic,
// its path replaces the paths below it. If a list or map is no longer atomic, its owner keeps
// only the path of the list or map itself. With declarative defaults, a path element that lacks
// a key gets the default of the key. Paths below a field that the schema does not allow stay
// the same.
//
// Reconcile returns nil if the set does not change, with one exception: if the root is atomic,
// it returns a copy of the set.
func Reconcile(n *graph.Node, set *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	if n.Missing {
		return nil, UnresolvedType(n)
	}
	if isReconciled(n, set) {
		return nil, nil
	}
	r := reconciler{}
	if OwnedWhole(n, set) {
		return set.Copy(), nil
	}
	out := r.convert(n, set)
	if r.findings != nil || out == set {
		return nil, r.findings
	}
	return out, nil
}

// isReconciled reports whether set, a field set of type n, is known to need no change. This
// quick check succeeds for most sets. It may return false negatives.
func isReconciled(n *graph.Node, set *fieldpath.Set) bool {
	if !n.MayReconcile {
		return true
	}
	if !n.ReconciledItself {
		return false
	}
	children := set.Children.Sorted()
	m := n.Map
	if m == nil {
		if n.Scalar != graph.NoScalar || !n.List.Item.MayReconcile {
			return true
		}
		item := n.List.Item
		for i := range children {
			if below := children[i].Set; !item.ReconciledItself || len(below.Children.Sorted()) > 0 && !isReconciled(item, below) {
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
			if !t.ReconciledItself || len(c.Set.Children.Sorted()) > 0 && !isReconciled(t, c.Set) {
				return false
			}
		}
	}
	return true
}

type reconciler struct{ findings diag.Findings }

// UnresolvedType returns the finding for a type that the schema does not define.
func UnresolvedType(n *graph.Node) diag.Findings {
	return diag.Newf(diag.BadSchema, "could not resolve %v", n.Type)
}

// OwnedWhole reports whether a list or map of type n is owned as a whole, because it is atomic. The
// argument set contains the owned paths inside the list or map.
func OwnedWhole(n *graph.Node, set *fieldpath.Set) bool {
	switch data.FirstKind(n.Kinds()) {
	case graph.MapKind:
		return !n.Map.Deduced && n.Map.Atomic && set.Size() > 0
	case graph.ListKind:
		return n.List.IsAtomic()
	}
	return false
}

// convert converts set, the owned paths inside a value of type n. It returns set itself if
// nothing changes.
func (r *reconciler) convert(n *graph.Node, set *fieldpath.Set) *fieldpath.Set {
	if !n.MayReconcile {
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
			set = item.CompleteKeys(n.List, set)
		}
	case 0:
		r.findings = append(r.findings, data.NoKind(n)...)
		return set
	default:
		return set
	}
	r.checkMembers(n, set)
	children := set.Children.Sorted()
	var members, kept = []fieldpath.PathElement(nil), []fieldpath.SetNode(nil)
	changed := false
	for i := range children {
		c := &children[i]
		below := r.convertChild(n, c)
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

// convertChild converts the paths below one element, and returns nil if the value is now owned
// as a whole.
func (r *reconciler) convertChild(n *graph.Node, c *fieldpath.SetNode) *fieldpath.Set {
	t, ok := TypeAt(n, &c.PathElement)
	switch {
	case !ok || !t.MayReconcile || t.ReconciledItself && len(c.Set.Children.Sorted()) == 0:
		return c.Set
	case t.Missing:
		r.findings = append(r.findings, UnresolvedType(t)...)
		return c.Set
	case OwnedWhole(t, c.Set):
		return nil
	}
	return r.convert(t, c.Set)
}

// checkMembers adds a finding for each member whose type does not exist or allows no value.
func (r *reconciler) checkMembers(n *graph.Node, set *fieldpath.Set) {
	if n.ChildTypesExist {
		return
	}
	for _, pe := range set.Members.Sorted() {
		if _, ok := set.Children.Get(pe); ok {
			continue
		}
		if t, ok := TypeAt(n, &pe); ok && t.Missing {
			r.findings = append(r.findings, UnresolvedType(t)...)
		} else if ok && t.Kinds() == 0 {
			r.findings = append(r.findings, data.NoKind(t)...)
		}
	}
}

// TypeAt returns the type of the value at pe in a list or map of type n. It returns false if pe is
// a field that n does not allow, or a field without a type (see graph.Field.HasType).
func TypeAt(n *graph.Node, pe *fieldpath.PathElement) (*graph.Node, bool) {
	if n.Map == nil {
		return n.List.Item, true
	}
	if pe.FieldName != nil {
		if f := n.Map.Field(*pe.FieldName); f != nil {
			return f.Type, f.HasType()
		}
	}
	return n.Map.Elem, n.Map.Open
}

// IsReconciledStored reports whether Reconcile is known to leave a field set unchanged. fields
// is the set as decoded FieldsV1, as servers write it: nested objects, none of which has only
// the key ".". IsReconciledStored may return false negatives.
func IsReconciledStored(n *graph.Node, fields map[string]any) bool {
	reconciled, known := IsReconciledByType(n)
	if known || len(fields) == 0 {
		return reconciled && len(fields) > 0
	}
	for key, v := range fields {
		below, _ := v.(map[string]any)
		if len(below) == 0 {
			continue
		}
		if t, ok := TypeAtKey(n, key); ok && !IsReconciledStored(t, below) {
			return false
		}
	}
	return true
}

// IsReconciledByType returns the result of IsReconciledStored for non-empty sets of type n, if the
// type alone determines this result. If the types of the fields in the set also matter, known is
// false (see TypeAtKey).
func IsReconciledByType(n *graph.Node) (reconciled, known bool) {
	if n.Missing {
		return false, true
	}
	if !n.MayReconcile {
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
	return false, !n.ChildTypesExist
}

// TypeAtKey does the same as TypeAt, for a path element given by its FieldsV1 key.
func TypeAtKey(n *graph.Node, key string) (*graph.Node, bool) {
	var pe fieldpath.PathElement
	if name, ok := strings.CutPrefix(key, "f:"); ok {
		pe.FieldName = &name
	}
	return TypeAt(n, &pe)
}
