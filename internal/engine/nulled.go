// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Nulled returns v, a value of type n that config was merged into, with null for each
// map and list that is applied as null, where null is a value, and of which others, the
// sets of the other managers, have nothing: a merge takes such a null for an empty
// container, and leaves what is there. v is not changed; changed says whether out is
// something else.
func Nulled(n *graph.Node, v, config any, others []*fieldpath.Set) (out any, changed bool) {
	return nulled(n, v, config, others, nuller{only: -1})
}

// NulledOnly is Nulled for one of these containers, the one after so many others; with
// gone it is left out instead.
func NulledOnly(n *graph.Node, v, config any, others []*fieldpath.Set, after int, gone bool) (out any, changed bool) {
	return nulled(n, v, config, others, nuller{only: after, gone: gone})
}

func nulled(n *graph.Node, v, config any, others []*fieldpath.Set, u nuller) (out any, changed bool) {
	u.w = newWalker()
	defer u.w.done()
	out = u.below(n, v, config, others)
	return out, !sameHeader(out, v)
}

type nuller struct {
	w    *walker
	only int // which one is meant, -1 for all
	at   int // how many were found
	gone bool
}

func (u *nuller) below(n *graph.Node, v, config any, others []*fieldpath.Set) any {
	switch {
	case n.Map != nil && !n.Map.Atomic && len(asMap(v)) > 0:
		return u.fields(n.Map, v, asMap(config), others)
	case n.List != nil && n.List.Relation == graph.Associative && len(n.List.Keys) > 0 && len(asList(v)) > 0 && len(asList(config)) > 0:
		return u.items(n.List, v, asList(config), others)
	}
	return v
}

func (u *nuller) fields(m *graph.Map, v any, config map[string]any, others []*fieldpath.Set) any {
	x := asMap(v)
	var out map[string]any
	field := func(name string, c any) {
		was := x[name]
		t := m.At(name)
		if isScalar(was) || c == nil && !nullable(t) {
			return
		}
		below, owned := narrow(others, u.w.field(m, name), false)
		is := was
		if c != nil {
			is = u.below(t, was, c, below)
		} else if !owned && len(below) == 0 {
			if u.only < 0 || u.at == u.only {
				is = nil
			}
			u.at++
		}
		if sameHeader(is, was) {
			return
		}
		if out == nil {
			out = maps.Clone(x)
		}
		if is == nil && u.gone {
			delete(out, name)
		} else {
			out[name] = is
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
	if out == nil {
		return v
	}
	return out
}

func (u *nuller) items(l *graph.List, v any, config []any, others []*fieldpath.Set) any {
	x := asList(v)
	ints := u.w.ints.Len()
	defer u.w.ints.Pop(ints)
	nb := u.w.number(l, x, config, known{})
	var out []any
	for i, was := range x {
		id := nb.left[i]
		if id < 0 || nb.rights[id] == 0 {
			continue
		}
		below, _ := narrow(others, u.w.element(l, was), false)
		is := u.below(l.Item, was, config[nb.rightAt[id]], below)
		if sameHeader(is, was) {
			continue
		}
		if out == nil {
			out = slices.Clone(x)
		}
		out[i] = is
	}
	if out == nil {
		return v
	}
	return out
}
