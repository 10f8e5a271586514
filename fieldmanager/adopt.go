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

// An adopter replaces values of a request by equivalent values of the live object. It
// traverses both objects side by side.
type adopter struct {
	// decide is called for each place that both objects have, with the live value and its
	// type, and with the value v of the request.
	decide func(live place.Place, v any) decision
}

type decision int

const (
	keepRequested decision = iota // keep the value of the request
	descend                       // compare the fields or items inside
	useLive                       // use the live value
)

// maxAdoptDepth is the maximum depth to which an adopter descends.
const maxAdoptDepth = 1000

// adopt returns v, or a changed copy that shares unchanged parts with v.
func (a *adopter) adopt(live place.Place, v any, depth int) (any, bool) {
	switch d := a.decide(live, v); {
	case d == useLive:
		return live.Plain, true
	case d == keepRequested || depth == maxAdoptDepth:
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

// items pairs items of lists with keys by their keys, and items of atomic lists by
// index. It leaves sets alone, because the value of an item is its identity.
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

// itemFinder returns a function that finds the item of have with the same identity as
// item i of v. If there are several, it returns the last.
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
