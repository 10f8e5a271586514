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

// CoveredByAll says whether the sets have every place that last has, and the keys of
// every item, so that nothing of it can have been given up.
func CoveredByAll(n *graph.Node, last *fieldpath.Set, keep []*fieldpath.Set) bool {
	if len(keep) > 0 && CoveredBy(n, last, keep[0]) {
		return true
	}
	if len(keep) < 2 {
		return false
	}
	for pl := range Places(last) {
		t, declared := Descend(n, &pl.Element)
		below, has := Narrow(keep, pl.Element, declared)
		if !has || pl.Below != nil && !CoveredByAll(t, pl.Below, below) ||
			pl.Element.Key != nil && n.List.HasKeys() && !keysOwned(n.List, &pl.Element, below...) {
			return false
		}
	}
	return true
}

// CoveredBy is CoveredByAll for one set. It walks both side by side.
func CoveredBy(n *graph.Node, last, set *fieldpath.Set) bool {
	if last == set && !n.Keyed {
		return true // no items that could lack their keys
	}
	have, below := set.Members.Sorted(), ChildrenOf(set)
	owned, children := last.Members.Sorted(), last.Children.Sorted()
	if last == set {
		owned = nil // what is left to ask is whether the items have their keys
	}
	items := have // the members that children may be
	var found bool
	for i := range owned {
		pe := &owned[i]
		if have, found = past(have, pe); found {
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
			if items, found = past(items, &c.PathElement); !found {
				return false
			}
		}
		if !CoveredBy(t, c.Set, kept) {
			return false
		}
		if c.PathElement.Key != nil && n.List.HasKeys() && !keysOwned(n.List, &c.PathElement, kept) {
			return false
		}
	}
	return !n.List.HasKeys() || bareItemsKeyed(n.List, last, set)
}

// bareItemsKeyed says whether the items that last has nothing below of keep their
// keys all the same.
func bareItemsKeyed(l *graph.List, last, set *fieldpath.Set) bool {
	members, below, kept := last.Members.Sorted(), ChildrenOf(last), ChildrenOf(set)
	for i := range members {
		pe := &members[i]
		if pe.Key == nil || below.Find(pe) != nil {
			continue
		}
		s := kept.Find(pe)
		if s == nil {
			s = &fieldpath.Set{}
		}
		if !keysOwned(l, pe, s) {
			return false
		}
	}
	return true
}

// keysOwned says whether the sets, which are of the item of l that pe names, have
// all of its keys but those that are as they are by default, and one at least:
// the item may have nothing but keys that are as they are by default.
func keysOwned(l *graph.List, pe *fieldpath.PathElement, sets ...*fieldpath.Set) bool {
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

// KeepingKeys returns set, which is about to be taken from the item v, without the keys
// that make it what it is: one that loses them is another item, or none. A key
// that is as it is by default is not needed.
func KeepingKeys(l *graph.List, v any, set *fieldpath.Set) *fieldpath.Set {
	m := data.AsMap(v)
	for i := range l.Keys {
		k := &l.Keys[i]
		key, written := m[k.Name]
		if !written || item.IsMissing(k, key) || item.IsKeyDefault(k, key) || !HasField(set, &k.Name) {
			continue
		}
		set = set.RecursiveDifference(fieldpath.FromSorted([]fieldpath.PathElement{{FieldName: &k.Name}}, nil))
	}
	return set
}
