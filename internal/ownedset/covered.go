// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownedset

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
)

// CoveredByUnion reports whether the managers together still own every path of prev, so that nothing
// is given up. prev is an applier's previous field set, and current contains the current sets of the
// managers. Together, the current sets must also contain the keys of every list item in prev.
func CoveredByUnion(n *graph.Node, prev *fieldpath.Set, current []*fieldpath.Set) bool {
	if len(current) > 0 && CoveredBy(n, prev, current[0]) {
		return true
	}
	if len(current) < 2 {
		return false
	}
	for e := range Entries(prev) {
		t, declared := Descend(n, &e.Element)
		below, has := Narrow(current, e.Element, declared)
		if !has || e.Below != nil && !CoveredByUnion(t, e.Below, below) ||
			e.Element.Key != nil && n.List.HasKeys() && !ownsKeys(n.List, &e.Element, below...) {
			return false
		}
	}
	return true
}

// CoveredBy does the same as CoveredByUnion for a single set.
func CoveredBy(n *graph.Node, prev, set *fieldpath.Set) bool {
	if prev == set && !n.HasKeyedLists {
		return true // there are no keyed lists, so there are no keys to check
	}
	have, below := set.Members.Sorted(), ChildrenOf(set)
	owned, children := prev.Members.Sorted(), prev.Children.Sorted()
	if prev == set {
		owned = nil // only the keys of items remain to be checked
	}
	items := have // the members of set in which to look for items with children
	var found bool
	for i := range owned {
		pe := &owned[i]
		if have, found = skipPast(have, pe); found {
			continue
		}
		if _, declared := Descend(n, pe); !declared || !hasChild(set, *pe) {
			return false
		}
	}
	for i := range children {
		c := &children[i]
		kept := below.Find(&c.PathElement)
		if kept == nil {
			return false
		}
		t, declared := Descend(n, &c.PathElement)
		if !declared {
			if items, found = skipPast(items, &c.PathElement); !found {
				return false
			}
		}
		if !CoveredBy(t, c.Set, kept) {
			return false
		}
		if c.PathElement.Key != nil && n.List.HasKeys() && !ownsKeys(n.List, &c.PathElement, kept) {
			return false
		}
	}
	return !n.List.HasKeys() || memberItemsKeyed(n.List, prev, set)
}

// memberItemsKeyed checks the items that are members of prev and have no paths below them in prev.
// It reports whether set has the keys of all these items.
func memberItemsKeyed(l *graph.List, prev, set *fieldpath.Set) bool {
	members, below, kept := prev.Members.Sorted(), ChildrenOf(prev), ChildrenOf(set)
	for i := range members {
		pe := &members[i]
		if pe.Key == nil || below.Find(pe) != nil {
			continue
		}
		s := kept.Find(pe)
		if s == nil {
			s = &fieldpath.Set{}
		}
		if !ownsKeys(l, pe, s) {
			return false
		}
	}
	return true
}

// ownsKeys reports whether the sets together contain all keys of an item. pe identifies the
// item in the list l. Each set has the paths below the item that one manager owns. A key with
// its default value may be missing, but the sets must contain at least one key.
func ownsKeys(l *graph.List, pe *fieldpath.PathElement, sets ...*fieldpath.Set) bool {
	some := false
	for _, f := range *pe.Key {
		k := l.Key(f.Name)
		if k == nil {
			continue
		}
		if slices.ContainsFunc(sets, func(s *fieldpath.Set) bool { return HasField(s, &k.Name) }) {
			some = true
		} else if !item.IsKeyDefault(k, f.Value.Unstructured()) {
			return false
		}
	}
	return some
}

// ExceptKeys returns set without the keys that the item v needs for its identity. The caller
// can then remove the paths of the result from v. Keys with their default value stay in the
// set, because the identity of v does not change without them.
func ExceptKeys(l *graph.List, v any, set *fieldpath.Set) *fieldpath.Set {
	m := data.AsMap(v)
	for i := range l.Keys {
		k := &l.Keys[i]
		key, written := m[k.Name]
		if !written || item.CountsAsMissing(k, key) || item.IsKeyDefault(k, key) || !HasField(set, &k.Name) {
			continue
		}
		set = set.RecursiveDifference(fieldpath.FromSorted([]fieldpath.PathElement{{FieldName: &k.Name}}, nil))
	}
	return set
}
