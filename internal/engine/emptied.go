// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Emptied says what becomes of the containers that lost all they had when
// before was pruned to after, both of type n, where Prune leaves each empty:
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
	switch classOf(before) {
	case mapping:
		b, a := asMap(before), asMap(after)
		if isEmptyMap(before) {
			return before, true
		}
		if n.Map == nil || n.Map.Atomic || sameHeader(before, after) {
			return after, true
		}
		if a = e.fields(n.Map, b, a, said, keep); len(a) > 0 {
			return a, true
		}
		return e.empty(n, map[string]any{}, said, owned)
	case list:
		b, a := asList(before), asList(after)
		if len(b) == 0 {
			return before, true
		}
		if n.List == nil || n.List.Relation != graph.Associative || sameHeader(before, after) {
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
	case said[0].has && nullable(n):
		return nil, true
	}
	return nil, false
}

func (e *emptier) fields(m *graph.Map, before, after map[string]any, said []applied, keep []*fieldpath.Set) map[string]any {
	out := after
	own := false
	there := make([]applied, len(said))
	for name, b := range before {
		a, ok := after[name]
		if !ok {
			continue
		}
		pe := e.w.field(m, name)
		below, owned := narrow(keep, pe, false)
		for i, s := range said {
			v, has := asMap(s.value)[name]
			there[i] = applied{v, has}
		}
		v, ok := e.value(m.At(name), b, a, there, below, owned)
		if ok && sameHeader(v, a) {
			continue
		}
		if !own {
			own = true
			out = maps.Clone(after)
		}
		if ok {
			out[name] = v
		} else {
			delete(out, name)
		}
	}
	return out
}

// items keeps all items: an item has its keys, or else is gone already.
func (e *emptier) items(l *graph.List, before, after []any, said []applied, keep []*fieldpath.Set) []any {
	out := make([]any, 0, len(after))
	ints := e.w.ints.Len()
	defer e.w.ints.Pop(ints)
	pairs := make([]numbering, len(said))
	for i, s := range said {
		pairs[i] = e.w.number(l, after, asList(s.value), known{})
	}
	there := make([]applied, len(said))
	i := 0
	for j, a := range after {
		for i < len(before) && !sameItem(l, before[i], a) {
			i++
		}
		if i == len(before) {
			// Its identity does not equal itself: NaN.
			return after
		}
		for k := range said {
			nb := &pairs[k]
			there[k] = applied{}
			if id := nb.left[j]; id >= 0 && nb.rights[id] > 0 {
				there[k] = applied{asList(said[k].value)[nb.rightAt[id]], true}
			}
		}
		below, _ := narrow(keep, e.w.element(l, a), false)
		v, _ := e.value(l.Item, before[i], a, there, below, true)
		out = append(out, v)
		i++
	}
	return out
}
