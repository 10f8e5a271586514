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

// GivenUp returns the paths that an applier gave up: those that it owned last
// time, that v, the merged value of type n, still has, and that nobody owns
// now. nil if there are none. keep are the sets of all managers, the applier's
// new one first.
//
// A path is given up when last has it and it, or a container of it, is owned by
// nobody while it or a container of that was owned last time. Declared fields
// count as owned when anything below them is. It is the outcome of what
// structured-merge-diff does in three steps: take away all of last, put back
// what somebody owns, put back what last did not have.
//
// full says that v is known to have no empty list where one is not a leaf.
//
// ok is false if the outcome depends on an item losing a key on the way, or on
// a container being left with empty lists, which have no paths; the caller must
// then take the three steps.
func GivenUp(n *graph.Node, v any, full bool, last *fieldpath.Set, keep []*fieldpath.Set) (gone *fieldpath.Set, ok bool) {
	if !n.Declarative && ownedset.UnkeyedItems(n, last, keep) {
		return nil, false
	}
	w := newWalker()
	defer w.done()
	g := givenUp{w: w, n: n, v: v, mayBePathless: !full && !n.Declarative, shared: ownedset.Shares(last, keep[0])}
	gone = g.below(n, v, last, keep, state{})
	return gone, !g.uncertain
}

// Kept says whether own, the applier's set of today, is known to have all of last,
// so that GivenUp finds nothing gone whoever else owns what, if all sets are
// covered by keys, see CoversKeys. full is as for GivenUp.
func Kept(n *graph.Node, full bool, last, own *fieldpath.Set) bool {
	return (full || n.Declarative) && ownedset.CoveredBy(n, last, own)
}

type givenUp struct {
	w             *walker
	n             *graph.Node // of the whole value
	v             any
	mayBePathless bool // there may be empty lists that are no leaves
	pathless      pathless
	shared        bool // what is the same in last and in a set that is kept is most often one set
	uncertain     bool
}

// state is what is known of the containers of the place that is looked at.
type state struct {
	had    bool // the applier owned one of them last time
	orphan bool // one of them, at or below such a container, is owned by nobody
	lost   bool // something is known to be lost; what is not shared is not asked again
	asked  int  // how many of them were asked in vain whether nothing is
}

// maxAsked is how many containers of a place are asked whether all of them is
// owned. Each is walked for it, so that depth would else count twice.
const maxAsked = 8

func (g *givenUp) below(n *graph.Node, v any, last *fieldpath.Set, keep []*fieldpath.Set, st state) *fieldpath.Set {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if x := data.AsMap(v); len(x) > 0 && !n.Map.Atomic {
			return g.fields(n, x, last, keep, st)
		}
	case graph.ListKind:
		if x := data.AsList(v); len(x) > 0 && !n.List.IsAtomic() {
			return g.items(n, x, last, keep, st)
		}
	}
	return nil
}

func (g *givenUp) fields(n *graph.Node, x map[string]any, last *fieldpath.Set, keep []*fieldpath.Set, st state) *fieldpath.Set {
	members, children := g.w.members.Len(), g.w.children.Len()
	for pl := range ownedset.Places(last) {
		if pl.Element.FieldName == nil {
			continue
		}
		if v, ok := x[*pl.Element.FieldName]; ok {
			t, declared := ownedset.Descend(n, &pl.Element)
			exists := !declared || v == nil || data.IsEmptyMap(v) || hasPaths(t, v)
			g.place(t, v, declared, exists, pl, keep, st)
		}
	}
	return g.w.set(members, children)
}

// place looks at one place of last, where the value is v, and notes what was
// given up of it.
func (g *givenUp) place(t *graph.Node, v any, declared, exists bool, pl ownedset.Place, keep []*fieldpath.Set, st state) {
	below, has := ownedset.Narrow(keep, pl.Element, declared)
	had := pl.Member || declared && pl.Below != nil
	st.had = st.had || had
	st.orphan = st.orphan || st.had && exists && !has
	if st.orphan && had && exists {
		g.w.members.Push(pl.Element)
		return
	}
	if g.mayBePathless && st.had && declared && exists && !g.survives(t, v, below) {
		g.uncertain = true
	}
	if pl.Below == nil {
		return
	}
	if !g.mayBePathless && !st.orphan && (!st.lost || slices.Contains(below, pl.Below)) {
		if ownedset.CoveredByAll(t, pl.Below, below) {
			return
		}
		st.asked++
		st.lost = g.shared || st.asked == maxAsked
	}
	if gone := g.below(t, v, pl.Below, below, st); gone != nil {
		g.w.children.Push(fieldpath.SetNode{PathElement: pl.Element, Set: gone})
	}
}

// survives says whether v, of which the sets own something, still has a path
// when all else is taken away, or else is null, which is one.
func (g *givenUp) survives(n *graph.Node, v any, sets []*fieldpath.Set) bool {
	if g.pathless == nil {
		g.pathless = pathless{}
		g.pathless.find(g.n, g.v)
	}
	if !g.pathless.has(n, v) {
		return true
	}
	switch data.KindFor(n, v) {
	case graph.MapKind:
		x := data.AsMap(v)
		for _, s := range sets {
			for pl := range ownedset.Places(s) {
				if pl.Element.FieldName == nil {
					continue
				}
				c, ok := x[*pl.Element.FieldName]
				t, declared := ownedset.Descend(n, &pl.Element)
				if ok && (!declared || hasPaths(t, c) && !g.pathless.has(t, c)) {
					return true
				}
			}
		}
	case graph.ListKind:
		// Items are paths themselves.
		return len(sets) > 0
	}
	return false
}

func (g *givenUp) items(n *graph.Node, x []any, last *fieldpath.Set, keep []*fieldpath.Set, st state) *fieldpath.Set {
	members, children := g.w.members.Len(), g.w.children.Len()
	ints := g.w.Ints.Len()
	ix := g.w.Index(n.List, x, last.Members.Size()+len(last.Children.Sorted()))
	for pl := range ownedset.Places(last) {
		at, more := ix.Find(&pl.Element)
		if at < 0 {
			continue
		}
		if more {
			// Items that share an identity are one place with nothing below.
			if pl.Below != nil {
				g.uncertain = true
			}
			g.place(n.List.Item, nil, false, true, ownedset.Place{Element: pl.Element, Member: pl.Member}, keep, st)
			continue
		}
		if !n.Declarative {
			g.keys(n.List, x[at], pl, keep, st)
		}
		mark := g.w.children.Len()
		g.place(n.List.Item, x[at], false, true, pl, keep, st)
		if n.Declarative && g.w.children.Len() > mark {
			gone := &g.w.children.S[mark]
			if gone.Set = ownedset.KeepingKeys(n.List, x[at], gone.Set); gone.Set.Empty() {
				g.w.children.Pop(mark)
			}
		}
	}
	g.w.Ints.Pop(ints)
	return g.w.set(members, children)
}

// keys looks for keys that an item which stays would lose on the way, so that
// it would be another item.
func (g *givenUp) keys(l *graph.List, it any, pl ownedset.Place, keep []*fieldpath.Set, st state) {
	if !l.HasKeys() {
		return
	}
	below, has := ownedset.Narrow(keep, pl.Element, false)
	had := st.had || pl.Member
	orphan := st.orphan || had && !has
	if orphan {
		return
	}
	// The first step takes away what last has below the item, which is something if
	// it has not the item itself, the second what nobody owns below it.
	goes := func(name string) bool {
		if had {
			return !slices.ContainsFunc(below, func(s *fieldpath.Set) bool { return ownedset.HasField(s, &name) })
		}
		return ownedset.HasField(pl.Below, &name)
	}
	m := data.AsMap(it)
	for i := range l.Keys {
		k := &l.Keys[i]
		v, written := m[k.Name]
		if written && !item.IsKeyDefault(k, v) && goes(k.Name) {
			g.uncertain = true
			return
		}
	}
	// An item that loses all its fields becomes null, which is no item.
	for name := range m {
		if !goes(name) {
			return
		}
	}
	g.uncertain = g.uncertain || len(m) > 0
}

// hasPaths says whether v, a value of type n, sets any path: itself or one
// below it.
func hasPaths(n *graph.Node, v any) bool {
	switch data.KindFor(n, v) {
	case graph.ScalarKind:
		return true
	case graph.MapKind:
		if n.Map.Atomic {
			return true
		}
		for name, c := range data.AsMap(v) {
			f := n.Map.Field(name)
			if f == nil || c == nil || data.IsEmptyMap(c) || hasPaths(f.Type, c) {
				return true
			}
		}
		return false
	case graph.ListKind:
		return n.List.IsAtomic() || len(data.AsList(v)) > 0 || n.Declarative && data.IsEmptyList(v)
	}
	return false
}

// pathless are the containers, by where they are, that have something somewhere
// that has no path: an empty list that is no leaf, or a value of the wrong kind.
// A container that is there twice, as two types, is one of them if either is.
type pathless map[box.Address]struct{}

// has says whether v, a part of what was looked through, is pathless.
func (h pathless) has(n *graph.Node, v any) bool {
	is, at := pathlessItself(n, v)
	if at != nil {
		_, is = h[at]
	}
	return is
}

// find looks through v for what is pathless, and says whether v is.
func (h pathless) find(n *graph.Node, v any) bool {
	is, at := pathlessItself(n, v)
	if at == nil {
		return is
	}
	if x, ok := v.([]any); ok {
		for _, c := range x {
			is = h.find(n.List.Item, c) || is
		}
	} else {
		for name, c := range data.AsMap(v) {
			is = h.find(n.Map.At(name), c) || is
		}
	}
	if is {
		h[at] = struct{}{}
	}
	return is
}

// pathlessItself says whether v is pathless, or where it is if that takes a look at
// what is in it.
func pathlessItself(n *graph.Node, v any) (is bool, at box.Address) {
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
