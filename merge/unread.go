// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
	"github.com/dovetail-ssa/dovetail/typed"
)

// unread is a VersionedSet that may not have been read yet. It answers what is
// asked of the sets of all managers, most of which a write leaves alone, without
// being read.
type unread interface {
	fieldpath.VersionedSet
	// Empty and Disjoint are those of Set.
	Empty() bool
	Disjoint(*fieldpath.Set) bool
	// Reconciled says whether the set is known to be as the schema of today wants
	// it, for an object of type n.
	Reconciled(n *graph.Node) bool
	// CoversKeys says whether the set is known to have the keys of all items that it
	// has and last, a set of that type, does not name, see ownedset.CoversKeys.
	CoversKeys(n *graph.Node, last *fieldpath.Set) bool
	// Without is what remains when set is taken away, nil if nothing does.
	Without(set *fieldpath.Set) fieldpath.VersionedSet
}

// anyUnread says whether the set of a manager may not have been read.
func anyUnread(managers fieldpath.ManagedFields) bool {
	for _, owned := range managers {
		if _, ok := owned.(unread); ok {
			return true
		}
	}
	return false
}

// look is what a manager owns: unread, or else a set.
type look struct {
	unread
	set *fieldpath.Set
}

func lookAt(owned fieldpath.VersionedSet) look {
	if u, ok := owned.(unread); ok {
		return look{unread: u}
	}
	return look{set: owned.Set()}
}

func (l look) empty() bool {
	if l.set == nil {
		return l.unread.Empty()
	}
	return l.set.Empty()
}

func (l look) disjoint(set *fieldpath.Set) bool {
	if l.set == nil {
		return l.unread.Disjoint(set)
	}
	return l.set.Disjoint(set)
}

// needsNoReconciling says whether owned is known to need no reconciling.
func needsNoReconciling(owned fieldpath.VersionedSet, object *typed.TypedValue) bool {
	u, ok := owned.(unread)
	if !ok {
		return false
	}
	return u.Reconciled(in(object).Node())
}

// coversKeys is ownedset.CoversKeys, which asks the stored form of a set that was not read;
// false means that it is not known then.
func coversKeys(n *graph.Node, last *fieldpath.Set, owned fieldpath.VersionedSet) bool {
	if u, ok := owned.(unread); ok {
		return u.CoversKeys(n, last)
	}
	return ownedset.CoversKeys(n, last, owned.Set())
}

// without returns what remains of owned when set is taken away, nil if nothing
// does.
func without(owned fieldpath.VersionedSet, set *fieldpath.Set) fieldpath.VersionedSet {
	if u, ok := owned.(unread); ok {
		return u.Without(set)
	}
	rest := owned.Set().Difference(set)
	if rest.Empty() {
		return nil
	}
	return fieldpath.NewVersionedSet(rest, owned.APIVersion(), owned.Applied())
}
