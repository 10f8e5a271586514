// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// FindGivenUp returns the paths of the merged value v, of type n, that an applier gave up. prev is
// the applier's previous field set. The argument current has the current field sets of all
// managers, and the applier's new set comes first. If a path is given up, the result omits the
// paths below it. The result is nil if the applier gave up nothing.
//
// A path loses its owner if nobody owns it now, and if the applier previously owned it, or a
// container around it. A declared field has an owner if any path below it has an owner. Two kinds
// of paths are given up:
//
//   - paths of prev that lose their owner
//   - paths of prev inside a container that loses its owner, even if a manager owns them. For example,
//     an item that loses its owner is given up with all its fields.
//
// structured-merge-diff reaches the same result in three steps. It removes all paths of prev. It
// then restores the paths that a manager owns. Finally, it restores the paths that are not in prev.
//
// If noPathless is true, v is known to have no pathless values (see pathlessContainers). A pathless
// value is an empty list that is not a leaf, or a value of the wrong kind. A valid value with the
// fact NoEmptyLists has none.
//
// ok is false if the result may be wrong. The caller must then run the three steps. The result may
// be wrong if v has, or may have, one of the following:
//
//   - an item that loses a key, or all its fields, in these steps
//   - a container in which only pathless values remain after the second step
//   - several items with the same identity, if prev has a path below them
//
// With declarative defaults, the first two do not matter. Items then keep their keys, and empty lists
// have paths.
func FindGivenUp(n *graph.Node, v any, noPathless bool, prev *fieldpath.Set, current []*fieldpath.Set) (givenUp *fieldpath.Set, ok bool) {
	if !n.Declarative && ownedset.HasUnkeyedItems(n, prev, current) {
		return nil, false
	}
	w := newWorkspace()
	defer w.done()
	g := givenUpFinder{w: w, n: n, v: v, mayHavePathless: !noPathless && !n.Declarative, shared: ownedset.ShareParts(prev, current[0])}
	givenUp = g.value(n, v, prev, current, ancestors{})
	return givenUp, !g.uncertain
}

// OwnsAllOf reports whether own is known to own every path of prev, and the keys of all items in
// prev. The argument prev is the applier's previous field set, and own is its new field set. A
// declared field counts as owned if own has a path below it. If the result is true, the applier has
// given up nothing. With declarative defaults, the caller then need not call FindGivenUp. Without
// them, it must also check that the field set of every manager has the keys of its items (see
// ownedset.CoversKeys), because the three steps of structured-merge-diff can remove keys that no
// set has.
//
// noPathless means that the merged value is known to have no pathless values (see FindGivenUp).
// OwnsAllOf may return false negatives. Without declarative defaults, it returns true only if
// noPathless is true. If there are pathless values, the three steps can remove a container that the
// applier still owns, because only pathless values remain in it.
func OwnsAllOf(n *graph.Node, noPathless bool, prev, own *fieldpath.Set) bool {
	return (noPathless || n.Declarative) && ownedset.CoveredBy(n, prev, own)
}

// givenUpFinder does the work of FindGivenUp.
type givenUpFinder struct {
	w               *workspace
	n               *graph.Node        // the type of the merged value
	v               any                // the merged value
	mayHavePathless bool               // whether the merged value may have pathless values (see pathlessContainers)
	pathless        pathlessContainers // nil until keepsPath needs it
	// shared is true if the applier's previous and new sets have a child in common in memory. The two
	// sets then probably share all their equal parts.
	shared bool
	// uncertain becomes true if the result may be wrong. FindGivenUp then returns false for ok.
	uncertain bool
}

// ancestors describes the containers around a path.
type ancestors struct {
	// wasOwned is true if the applier owned one of these containers before.
	wasOwned bool
	// lostOwner is true if one of these containers has lost its owner (see FindGivenUp). All previous
	// paths inside it are then given up.
	lostOwner bool
	// failedChecks counts the failed checks for complete ownership of these containers (see pushGivenUp).
	failedChecks int
	// onlySharedParts avoids checks for complete ownership that will probably fail. If it is true,
	// a container is checked only if the applier's previous set and a manager's current set share
	// the part for this container in memory. It becomes true after maxFailedChecks failed checks,
	// or after the first failed check if the applier's previous and new sets share parts. Without a
	// check, the walk visits the container. This takes time, and the walk may become uncertain, but
	// the given-up paths are the same.
	onlySharedParts bool
}

// maxFailedChecks limits how many checks for complete ownership may fail for the containers around a
// path. Without the limit, the cost would grow with the depth, because each check walks the whole
// container.
const maxFailedChecks = 8

// value returns the given-up paths below the value v, or nil if there are none. prev and current are
// the parts of the sets below the path of v. The argument above describes the containers around
// these paths: v itself and the containers around v.
func (g *givenUpFinder) value(n *graph.Node, v any, prev *fieldpath.Set, current []*fieldpath.Set, above ancestors) *fieldpath.Set {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if x := data.AsMap(v); len(x) > 0 && !n.Map.Atomic {
			return g.fields(n, x, prev, current, above)
		}
	case graph.ListKind:
		if x := data.AsList(v); len(x) > 0 && !n.List.IsAtomic() {
			return g.items(n, x, prev, current, above)
		}
	}
	return nil
}

// fields returns the given-up fields of a map, and the given-up paths below its fields.
func (g *givenUpFinder) fields(n *graph.Node, x map[string]any, prev *fieldpath.Set, current []*fieldpath.Set, above ancestors) *fieldpath.Set {
	memberMark, childMark := g.w.givenUpMembers.Len(), g.w.givenUpChildren.Len()
	for e := range ownedset.Entries(prev) {
		if e.Element.FieldName == nil {
			continue
		}
		if v, ok := x[*e.Element.FieldName]; ok {
			t, declared := ownedset.Descend(n, &e.Element)
			g.pushGivenUp(prevElement{e, t, v, declared, !declared || addsPath(t, v)}, current, above)
		}
	}
	return g.w.popGivenUpSet(memberMark, childMark)
}

// prevElement is a path element of the applier's previous set that the merged value has, too.
type prevElement struct {
	inPrev   ownedset.Entry // the element in the previous set
	t        *graph.Node    // the type of the value at the element
	v        any            // the value at the element; nil if several items have the element
	declared bool           // whether the element is a declared field
	hasPaths bool           // whether the field set of the merged value has the element, or a path below it
}

// pushGivenUp pushes a path element of the previous set if it is given up. Otherwise, it pushes the
// given-up paths below the element, if there are any. It may set uncertain. current has the parts of
// the current sets below the container of the element. The argument above describes this container and
// the containers around it.
func (g *givenUpFinder) pushGivenUp(e prevElement, current []*fieldpath.Set, above ancestors) {
	below, owned := ownedset.Narrow(current, e.inPrev.Element, e.declared)
	itselfOwned := e.inPrev.Member || e.declared && e.inPrev.Below != nil // whether the applier owned the element itself before
	inside := above                                                       // the ancestors of the paths below the element
	inside.wasOwned = above.wasOwned || itselfOwned
	inside.lostOwner = above.lostOwner || inside.wasOwned && e.hasPaths && !owned
	if inside.lostOwner && itselfOwned && e.hasPaths {
		g.w.givenUpMembers.Push(e.inPrev.Element) // the whole element is given up
		return
	}
	// If the applier owned the element or a container around it, the first of the three steps
	// removes the value. The second step restores the value with only its owned parts and its
	// pathless values. If no path remains, the third step may remove the value. Undeclared fields
	// and items need no check, because they always have a path of their own.
	if g.mayHavePathless && inside.wasOwned && e.declared && e.hasPaths && !g.keepsPath(e.t, e.v, below) {
		g.uncertain = true
	}
	if e.inPrev.Below == nil {
		return
	}
	// Check for complete ownership: if the managers own all previous paths below the element, none
	// of these paths is given up, and the walk can skip them. It cannot skip them inside a
	// container that has lost its owner, because owned paths are given up there, too. If there may
	// be pathless values, it must call keepsPath for all containers.
	if !g.mayHavePathless && !inside.lostOwner && (!inside.onlySharedParts || slices.Contains(below, e.inPrev.Below)) {
		if ownedset.CoveredByUnion(e.t, e.inPrev.Below, below) {
			return
		}
		inside.failedChecks++
		inside.onlySharedParts = g.shared || inside.failedChecks >= maxFailedChecks
	}
	if givenUp := g.value(e.t, e.v, e.inPrev.Below, below, inside); givenUp != nil {
		g.w.givenUpChildren.Push(fieldpath.SetNode{PathElement: e.inPrev.Element, Set: givenUp})
	}
}

// keepsPath reports whether any path of v remains if everything in v is removed except the parts in
// sets. Usually one remains, because a container that loses all its content becomes null, and null
// has a path. If only pathless values remain, there is no path. keepsPath may return false
// negatives.
func (g *givenUpFinder) keepsPath(n *graph.Node, v any, sets []*fieldpath.Set) bool {
	if g.pathless == nil {
		g.pathless = pathlessContainers{}
		g.pathless.collect(g.n, g.v)
	}
	if !g.pathless.has(n, v) {
		return true
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		x := data.AsMap(v)
		for _, s := range sets {
			for e := range ownedset.Entries(s) {
				if e.Element.FieldName == nil {
					continue
				}
				c, ok := x[*e.Element.FieldName]
				t, declared := ownedset.Descend(n, &e.Element)
				// An undeclared field has a path of its own, and stays if a manager owns the field
				// itself. A declared field with paths keeps at least one of them if no value in it is
				// pathless.
				if ok && (!declared && e.Member || declared && addsPathUnlessEmpty(t, c) && !g.pathless.has(t, c)) {
					return true
				}
			}
		}
	case graph.ListKind:
		// If a manager owns a path below the list, the list keeps an item, or becomes null. Both have a
		// path.
		return len(sets) > 0
	}
	return false
}

// items returns the given-up items of a list, and the given-up paths below its items.
func (g *givenUpFinder) items(n *graph.Node, x []any, prev *fieldpath.Set, current []*fieldpath.Set, above ancestors) *fieldpath.Set {
	memberMark, childMark := g.w.givenUpMembers.Len(), g.w.givenUpChildren.Len()
	ints := g.w.IntScratch.Len()
	ix := g.w.NewIndex(n.List, x, prev.Members.Size()+len(prev.Children.Sorted()))
	for e := range ownedset.Entries(prev) {
		at, ambiguous := ix.FindFirst(&e.Element)
		if at < 0 {
			continue
		}
		if ambiguous {
			// Several items with the same identity have only one path, and no paths below it.
			if e.Below != nil {
				g.uncertain = true
			}
			e.Below = nil
			g.pushGivenUp(prevElement{inPrev: e, t: n.List.Item, hasPaths: true}, current, above)
			continue
		}
		if !n.Declarative {
			g.noteLostKeys(n.List, x[at], e, current, above)
		}
		mark := g.w.givenUpChildren.Len()
		g.pushGivenUp(prevElement{inPrev: e, t: n.List.Item, v: x[at], hasPaths: true}, current, above)
		if n.Declarative && g.w.givenUpChildren.Len() > mark {
			// The item stays, but loses some of its fields. With declarative defaults, it keeps its keys.
			node := &g.w.givenUpChildren.S[mark]
			if node.Set = ownedset.ExceptKeys(n.List, x[at], node.Set); node.Set.Empty() {
				g.w.givenUpChildren.Pop(mark)
			}
		}
	}
	g.w.IntScratch.Pop(ints)
	return g.w.popGivenUpSet(memberMark, childMark)
}

// noteLostKeys sets uncertain if the item v stays in the object, but loses one of its keys or all its
// fields in the first two steps of structured-merge-diff (see FindGivenUp). Without the key, it
// would be a different item. Without fields, it would be null, which has no identity. e is the
// item in the applier's previous set.
func (g *givenUpFinder) noteLostKeys(l *graph.List, v any, e ownedset.Entry, current []*fieldpath.Set, above ancestors) {
	if !l.HasKeys() {
		return
	}
	below, owned := ownedset.Narrow(current, e.Element, false)
	wasOwned := above.wasOwned || e.Member
	if above.lostOwner || wasOwned && !owned {
		return // FindGivenUp reports all previous paths at the item and below it (see pushGivenUp)
	}
	// losesField reports whether the item loses the field with the given name in the first two
	// steps. If the applier owned the item, or a container around it, the first step removes the
	// whole item, and the second step restores only the fields that a manager owns. Otherwise, the
	// first step removes only those fields of the item that the applier owned. The second step may
	// restore the key, but this is too late: until then, the item has another identity.
	losesField := func(name string) bool {
		if wasOwned {
			return !slices.ContainsFunc(below, func(s *fieldpath.Set) bool { return ownedset.HasField(s, &name) })
		}
		return ownedset.HasField(e.Below, &name)
	}
	x := data.AsMap(v)
	for i := range l.Keys {
		k := &l.Keys[i]
		key, written := x[k.Name]
		if written && !item.IsKeyDefault(k, key) && losesField(k.Name) {
			g.uncertain = true
			return
		}
	}
	for name := range x {
		if !losesField(name) {
			return
		}
	}
	g.uncertain = g.uncertain || len(x) > 0
}

// addsPath reports whether a declared field with the value v adds a path to a field set. This
// may be the path of the field itself, or a path below it.
func addsPath(t *graph.Node, v any) bool {
	return isEmptyLeaf(t, v) || addsPathUnlessEmpty(t, v)
}

// addsPathUnlessEmpty does the same as addsPath, with one exception: it returns false for a null or an
// empty map if the type is granular. A field with such a value adds only its own path, and no path below
// it.
func addsPathUnlessEmpty(n *graph.Node, v any) bool {
	switch data.KindFor(n, v) {
	case graph.ScalarKind:
		return true
	case graph.MapKind:
		if n.Map.Atomic {
			return true
		}
		for name, c := range data.AsMap(v) {
			f := n.Map.Field(name)
			if f == nil || addsPath(f.Type, c) {
				return true
			}
		}
		return false
	case graph.ListKind:
		return n.List.IsAtomic() || len(data.AsList(v)) > 0 || n.Declarative && data.IsEmptyList(v)
	}
	return false
}

// pathlessContainers is the set of the containers that contain a pathless value at any depth. A
// pathless value is an empty list that is not a leaf, or a value of the wrong kind that is treated as a
// granular map or list (see data.KindFor). As the value of a declared field, it usually adds no path to
// a field set. A value of the wrong kind that is treated as a scalar is a leaf.
//
// The set identifies a container by its address. If a container occurs in several places with
// different types, it is in the set if a value in it is pathless in one of these places.
type pathlessContainers map[box.Address]struct{}

// has reports whether v is pathless or contains a pathless value. v must be a part of the value
// that was passed to collect.
func (p pathlessContainers) has(n *graph.Node, v any) bool {
	pathless, address := isPathless(n, v)
	if address != nil {
		_, pathless = p[address]
	}
	return pathless
}

// collect searches v for pathless values. It adds every container that contains such a value to p,
// including v itself. It reports whether v is pathless or contains a pathless value.
func (p pathlessContainers) collect(n *graph.Node, v any) bool {
	found, address := isPathless(n, v)
	if address == nil {
		return found
	}
	if x, ok := v.([]any); ok {
		for _, c := range x {
			found = p.collect(n.List.Item, c) || found
		}
	} else {
		for name, c := range data.AsMap(v) {
			found = p.collect(n.Map.At(name), c) || found
		}
	}
	if found {
		p[address] = struct{}{}
	}
	return found
}

// isPathless reports whether v is pathless. If v is a granular map, or a granular list with items, it
// is not pathless, but may contain a pathless value. isPathless then also returns its address.
func isPathless(n *graph.Node, v any) (pathless bool, address box.Address) {
	if v == nil {
		return false, nil
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return false, nil
		}
		switch x := v.(type) {
		case map[string]any:
			return false, box.MapAddress(x)
		case map[any]any:
			return false, box.MapAddress(x)
		}
		return true, nil
	case graph.ListKind:
		if n.List.IsAtomic() {
			return false, nil
		}
		x := data.AsList(v)
		if len(x) == 0 {
			return true, nil
		}
		return false, box.ListAddress(x)
	}
	return false, nil
}
