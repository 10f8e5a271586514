// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
	"github.com/dovetail-ssa/dovetail/typed"
)

// lazySet is a VersionedSet that is decoded only on demand. Its methods work on the encoded
// form, because most writes change no field of most managers.
type lazySet interface {
	fieldpath.VersionedSet
	// Empty and Disjoint return the same results as the methods of the decoded Set.
	Empty() bool
	Disjoint(*fieldpath.Set) bool
	// Reconciled reports whether the set is already known to fit the current schema, so that it
	// needs no conversion. n is the type of the object.
	Reconciled(n *graph.Node) bool
	// CoversKeys reports whether the set has the keys of all its list items. It ignores items that are
	// in prev, the applier's previous set, and lists for which prev has no paths. It may return false
	// negatives. See [ownedset.CoversKeys].
	CoversKeys(n *graph.Node, prev *fieldpath.Set) bool
	// Without returns the owned paths that are not in set, or nil if there are none.
	Without(set *fieldpath.Set) fieldpath.VersionedSet
}

// hasLazySet reports whether any manager has a lazySet.
func hasLazySet(managers fieldpath.ManagedFields) bool {
	for _, owned := range managers {
		if _, ok := owned.(lazySet); ok {
			return true
		}
	}
	return false
}

// setView gives access to the field set of a manager. It does not decode the set if it is a
// lazySet.
type setView struct {
	lazy lazySet
	set  *fieldpath.Set // nil if lazy is not nil
}

// viewOf returns a view of the fields of a manager.
func viewOf(owned fieldpath.VersionedSet) setView {
	if l, ok := owned.(lazySet); ok {
		return setView{lazy: l}
	}
	return setView{set: owned.Set()}
}

// empty reports whether the manager owns nothing.
func (v setView) empty() bool {
	if v.set == nil {
		return v.lazy.Empty()
	}
	return v.set.Empty()
}

// disjoint reports whether the manager owns none of the paths in set.
func (v setView) disjoint(set *fieldpath.Set) bool {
	if v.set == nil {
		return v.lazy.Disjoint(set)
	}
	return v.set.Disjoint(set)
}

// isReconciled reports whether owned is already known to fit the current schema, so that it needs
// no conversion. This is known only of a lazySet.
func isReconciled(owned fieldpath.VersionedSet, object *typed.TypedValue) bool {
	l, ok := owned.(lazySet)
	if !ok {
		return false
	}
	return l.Reconciled(operandOf(object).Node())
}

// coversKeys reports whether owned has the keys of all its list items. It ignores items that are in prev,
// the applier's previous set, and lists for which prev has no paths. For a lazySet, it may return false
// negatives, because it does not decode the set. See [ownedset.CoversKeys].
func coversKeys(n *graph.Node, prev *fieldpath.Set, owned fieldpath.VersionedSet) bool {
	if l, ok := owned.(lazySet); ok {
		return l.CoversKeys(n, prev)
	}
	return ownedset.CoversKeys(n, prev, owned.Set())
}

// subtract returns the paths of owned that are not in set, or nil if there are none.
func subtract(owned fieldpath.VersionedSet, set *fieldpath.Set) fieldpath.VersionedSet {
	if l, ok := owned.(lazySet); ok {
		return l.Without(set)
	}
	remaining := owned.Set().Difference(set)
	if remaining.Empty() {
		return nil
	}
	return fieldpath.NewVersionedSet(remaining, owned.APIVersion(), owned.Applied())
}
