// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// Nulled returns v, a value of type n that config was merged into, with null for each
// map and list that is applied as null, where null is a value, and of which others, the
// sets of the other managers, have nothing: a merge takes such a null for an empty
// container, and leaves what is there. v is not changed; changed says whether out is
// something else.
func Nulled(n *graph.Node, v, config any, others []*fieldpath.Set) (out any, changed bool) {
	return NulledOnly(n, v, config, others, -1, false)
}

// NulledOnly is Nulled for one of these containers, the one after so many others; with
// gone it is left out instead. It is all of them after -1.
func NulledOnly(n *graph.Node, v, config any, others []*fieldpath.Set, after int, gone bool) (out any, changed bool) {
	u := nuller{w: newWalker(), only: after, gone: gone}
	defer u.w.done()
	out = u.below(n, v, config, others)
	return out, !data.SameMemory(out, v)
}

type nuller struct {
	w    *walker
	only int // which one is meant, -1 for all
	at   int // how many were found
	gone bool
}

func (u *nuller) below(n *graph.Node, v, config any, others []*fieldpath.Set) any {
	switch {
	case n.Map != nil && !n.Map.Atomic && len(data.AsMap(v)) > 0:
		return u.fields(n.Map, v, data.AsMap(config), others)
	case n.List != nil && n.List.IsAssociative() && len(n.List.Keys) > 0 && len(data.AsList(v)) > 0 && len(data.AsList(config)) > 0:
		return u.items(n.List, v, data.AsList(config), others)
	}
	return v
}

func (u *nuller) fields(m *graph.Map, v any, config map[string]any, others []*fieldpath.Set) any {
	x := data.AsMap(v)
	out := data.EditedMap{Map: x}
	field := func(name string, c any) {
		was := x[name]
		t := m.At(name)
		if data.IsScalar(was) || c == nil && !data.Nullable(t) {
			return
		}
		below, owned := ownedset.Narrow(others, u.w.Field(m, name), false)
		is := was
		if c != nil {
			is = u.below(t, was, c, below)
		} else if !owned && len(below) == 0 {
			if u.only < 0 || u.at == u.only {
				is = nil
			}
			u.at++
		}
		switch {
		case data.SameMemory(is, was):
		case is == nil && u.gone:
			out.Delete(name)
		default:
			out.Put(name, is)
		}
	}
	if u.only < 0 {
		for name, c := range config {
			field(name, c)
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(config)) {
			field(name, config[name])
		}
	}
	v, _ = out.Of(v)
	return v
}

func (u *nuller) items(l *graph.List, v any, config []any, others []*fieldpath.Set) any {
	x := data.AsList(v)
	ints := u.w.Ints.Len()
	defer u.w.Ints.Pop(ints)
	nb := u.w.Pair(l, x, config, item.Known{})
	out := data.EditedList{List: x}
	for i, was := range x {
		id := nb.LeftNumber[i]
		if id < 0 || nb.RightCount[id] == 0 {
			continue
		}
		below, _ := ownedset.Narrow(others, u.w.Element(l, was), false)
		if is := u.below(l.Item, was, config[nb.FirstRight[id]], below); !data.SameMemory(is, was) {
			out.Put(i, is)
		}
	}
	v, _ = out.Of(v)
	return v
}

// Emptied says what becomes of the containers that lost all they had when
// before, a value of type n, became after by what was given up, which leaves each empty:
//
//	owned by others, or applied as empty    empty
//	applied as null, nullable               null
//	else                                    gone
//
// config is what is applied, others are the sets of the other managers, and held is
// what is left of before for those who speak other versions: nil for each to whom
// nothing is. ok is false if nothing is left. after is not changed.
func Emptied(n *graph.Node, before, after, config any, held []any, others []*fieldpath.Set) (out any, ok bool) {
	w := newWalker()
	defer w.done()
	e := emptier{w: w}
	said := []applied{{config, true}}
	for _, v := range held {
		said = append(said, applied{v, v != nil})
	}
	return e.value(n, before, after, said, others, true)
}

// applied is what is applied at a place, if anything.
type applied struct {
	value any
	has   bool
}

type emptier struct{ w *walker }

// value decides for one place. What the config has there comes first in said.
func (e *emptier) value(n *graph.Node, before, after any, said []applied, keep []*fieldpath.Set, owned bool) (any, bool) {
	switch data.ClassOf(before) {
	case data.Mapping:
		b, a := data.AsMap(before), data.AsMap(after)
		if data.IsEmptyMap(before) {
			return before, true
		}
		if n.Map == nil || n.Map.Atomic || data.SameMemory(before, after) {
			return after, true
		}
		if a = e.fields(n.Map, b, a, said, keep); len(a) > 0 {
			return a, true
		}
		return e.empty(n, map[string]any{}, said, owned)
	case data.List:
		b, a := data.AsList(before), data.AsList(after)
		if len(b) == 0 {
			return before, true
		}
		if n.List == nil || !n.List.IsAssociative() || data.SameMemory(before, after) {
			return after, true
		}
		if len(a) > 0 {
			return e.items(n.List, b, a, said, keep), true
		}
		return e.empty(n, []any{}, said, owned)
	}
	return after, true
}

func (e *emptier) empty(n *graph.Node, empty any, said []applied, owned bool) (any, bool) {
	for _, s := range said {
		owned = owned || s.value != nil
	}
	switch {
	case owned:
		return empty, true
	case said[0].has && data.Nullable(n):
		return nil, true
	}
	return nil, false
}

func (e *emptier) fields(m *graph.Map, before, after map[string]any, said []applied, keep []*fieldpath.Set) map[string]any {
	out := data.EditedMap{Map: after}
	there := make([]applied, len(said))
	for name, b := range before {
		a, ok := after[name]
		if !ok {
			continue
		}
		pe := e.w.Field(m, name)
		below, owned := ownedset.Narrow(keep, pe, false)
		for i, s := range said {
			v, has := data.AsMap(s.value)[name]
			there[i] = applied{v, has}
		}
		v, ok := e.value(m.At(name), b, a, there, below, owned)
		switch {
		case !ok:
			out.Delete(name)
		case !data.SameMemory(v, a):
			out.Put(name, v)
		}
	}
	return out.Map
}

// items keeps all items: an item has its keys, or else is gone already.
func (e *emptier) items(l *graph.List, before, after []any, said []applied, keep []*fieldpath.Set) []any {
	out := make([]any, 0, len(after))
	ints := e.w.Ints.Len()
	defer e.w.Ints.Pop(ints)
	pairs := make([]item.Pairing, len(said))
	for i, s := range said {
		pairs[i] = e.w.Pair(l, after, data.AsList(s.value), item.Known{})
	}
	there := make([]applied, len(said))
	i := 0
	for j, a := range after {
		for i < len(before) && !item.Same(l, before[i], a) {
			i++
		}
		if i == len(before) {
			// Its identity does not equal itself: NaN.
			return after
		}
		for k := range said {
			nb := &pairs[k]
			there[k] = applied{}
			if id := nb.LeftNumber[j]; id >= 0 && nb.RightCount[id] > 0 {
				there[k] = applied{data.AsList(said[k].value)[nb.FirstRight[id]], true}
			}
		}
		below, _ := ownedset.Narrow(keep, e.w.Element(l, a), false)
		v, _ := e.value(l.Item, before[i], a, there, below, true)
		out = append(out, v)
		i++
	}
	return out
}

// withoutNulls returns v, a value of type n, without the fields that are null
// where null is no value: they stand for what is there without them. Values of
// maps do not, and become the default that they stand for. Unless all is set it drops
// only the nulls that have no default to stand for. It is v itself if there are none.
func withoutNulls(n *graph.Node, v any, all bool) any {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return v
		}
		x := data.AsMap(v)
		out := data.EditedMap{Map: x}
		for name, c := range x {
			t := n.Map.At(name)
			kept := withoutNulls(t, c, all)
			drop := c == nil && !data.Nullable(t) && (all || data.NullIsAbsent(n.Map, name))
			if drop && n.Map.Field(name) == nil && !data.NullIsAbsent(n.Map, name) {
				def, _ := data.NullValue(n.Map, name)
				drop, kept = false, withoutNulls(t, data.Clone(def), all)
			}
			switch {
			case drop:
				out.Delete(name)
			case !data.SameMemory(kept, c):
				out.Put(name, kept)
			}
		}
		v, _ = out.Of(v)
	case graph.ListKind:
		if n.List.IsAtomic() {
			return v
		}
		x := data.AsList(v)
		out := data.EditedList{List: x}
		for i, c := range x {
			kept := c
			if all {
				kept = item.WithoutUnsetKeys(n.List, c)
			}
			if kept = withoutNulls(n.List.Item, kept, all); !data.SameMemory(kept, c) {
				out.Put(i, kept)
			}
		}
		v, _ = out.Of(v)
	}
	return v
}

// Meant returns v, a value of type n, without the nulls that stand for nothing.
// changed says whether it has any.
func Meant(n *graph.Node, v any) (out any, changed bool) {
	out = withoutNulls(n, v, false)
	return out, !data.SameMemory(out, v)
}
