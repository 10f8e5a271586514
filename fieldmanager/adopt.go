// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/place"
)

// An adopter puts values of the live object in place of those of a request that
// stand for the same. It walks both side by side.
type adopter struct {
	// judge decides about a place that both have, live with its type and the request's
	// value: whether the live value takes its place, or the walk goes on below.
	judge func(live place.Place, v any) verdict
}

type verdict int

const (
	leave verdict = iota
	lookBelow
	takeLive
)

// maxAdopt bounds how deep an adopter goes.
const maxAdopt = 1000

// adopt returns v, or a copy of what has changed in it.
func (a *adopter) adopt(live place.Place, v any, depth int) (any, bool) {
	switch judged := a.judge(live, v); {
	case judged == takeLive:
		return live.Plain, true
	case judged == leave || depth == maxAdopt:
		return v, false
	}
	switch v := v.(type) {
	case map[string]any:
		if have, ok := live.Plain.(map[string]any); ok {
			return a.fields(live, have, v, depth)
		}
	case []any:
		if have, ok := live.Plain.([]any); ok {
			return a.items(live, have, v, depth)
		}
	}
	return v, false
}

func (a *adopter) fields(live place.Place, have, v map[string]any, depth int) (any, bool) {
	out, changed := v, false
	for name, c := range v {
		was, ok := have[name]
		if !ok {
			continue
		}
		at := live.Field(name)
		at.Plain = was
		if adopted, ok := a.adopt(at, c, depth+1); ok {
			if !changed {
				out, changed = maps.Clone(v), true
			}
			out[name] = adopted
		}
	}
	return out, changed
}

// items pairs items of lists with keys by these, and those of atomic lists by
// their index. An item of a set is its own identity.
func (a *adopter) items(live place.Place, have, v []any, depth int) (any, bool) {
	atom, known := live.Atom()
	if !known || atom.List == nil {
		return v, false
	}
	at := place.Place{Schema: live.Schema, Ref: atom.List.ElementType, Typed: true}
	find := func(i int) (any, bool) {
		if i >= len(have) {
			return nil, false
		}
		return have[i], true
	}
	if atom.List.ElementRelationship.IsAssociative() {
		if len(atom.List.Keys) == 0 {
			return v, false
		}
		find = itemFinder(live.List(), have, v)
	}
	out, changed := v, false
	for i, c := range v {
		was, ok := find(i)
		if !ok {
			continue
		}
		at.Plain = was
		if adopted, ok := a.adopt(at, c, depth+1); ok {
			if !changed {
				out, changed = slices.Clone(v), true
			}
			out[i] = adopted
		}
	}
	return out, changed
}

// itemFinder finds the item of have that has the identity of item i of v: of several
// the last.
func itemFinder(list *graph.List, have, v []any) func(i int) (any, bool) {
	lists := item.ListIndexes{}
	return func(i int) (any, bool) {
		e, ok := item.Identity(list, v[i])
		if !ok {
			return nil, false
		}
		found := lists.All(list, have, e)
		if len(found) == 0 {
			return nil, false
		}
		return found[len(found)-1], true
	}
}
