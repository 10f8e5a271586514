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

// A liveKeeper traverses the live object and the object in a request side by side. If decide
// returns useLive, it replaces the value in the request with the live value, so that the value
// does not count as a change.
type liveKeeper struct {
	// decide chooses between the live value and the value in the request. It is called for values
	// that exist in both objects, beginning at the root. It is called for the contents of a map or
	// list only if it returned descend for this map or list.
	decide func(live place.Place, v any) decision
}

type decision int

const (
	keepRequested decision = iota // keep the value of the request
	descend                       // decide separately for each field or item inside
	useLive                       // keep the live value
)

// maxKeepDepth is the maximum depth to which a liveKeeper descends.
const maxKeepDepth = 1000

// keepLive returns the requested value v, with live values in all places for which decide returns
// useLive. If there are no such places, it returns v itself and false. keepLive does not modify v:
// the result has copies of the maps and lists that change, and shares the others.
func (k *liveKeeper) keepLive(live place.Place, v any, depth int) (any, bool) {
	switch d := k.decide(live, v); {
	case d == useLive:
		return live.Plain, true
	case d == keepRequested || depth == maxKeepDepth:
		return v, false
	}
	switch v := v.(type) {
	case map[string]any:
		if have, ok := live.Plain.(map[string]any); ok {
			return k.fields(live, have, v, depth)
		}
	case []any:
		if have, ok := live.Plain.([]any); ok {
			return k.items(live, have, v, depth)
		}
	}
	return v, false
}

func (k *liveKeeper) fields(live place.Place, have, v map[string]any, depth int) (any, bool) {
	out, changed := v, false
	for name, c := range v {
		was, ok := have[name]
		if !ok {
			continue
		}
		at := live.Field(name)
		at.Plain = was
		if kept, ok := k.keepLive(at, c, depth+1); ok {
			if !changed {
				out, changed = maps.Clone(v), true
			}
			out[name] = kept
		}
	}
	return out, changed
}

// items is keepLive for a list: it replaces values inside the items of the requested list with live
// values. In a list with keys, it pairs a requested item with the live item that has equal keys. In
// a list without keys, it pairs items by index. A set stays as it is, because the value of an item
// is its identity.
func (k *liveKeeper) items(live place.Place, liveItems, v []any, depth int) (any, bool) {
	atom, known := live.Atom()
	if !known || atom.List == nil {
		return v, false
	}
	at := place.Place{Schema: live.Schema, Ref: atom.List.ElementType, Typed: true}
	matches, keyed := liveItems, atom.List.ElementRelationship.IsAssociative()
	if keyed {
		if len(atom.List.Keys) == 0 {
			return v, false
		}
		matches = lastMatches(live.List(), v, liveItems)
	}
	out, changed := v, false
	for i, c := range v[:min(len(v), len(matches))] {
		was := matches[i]
		if keyed && was == nil {
			continue
		}
		at.Plain = was
		if kept, ok := k.keepLive(at, c, depth+1); ok {
			if !changed {
				out, changed = slices.Clone(v), true
			}
			out[i] = kept
		}
	}
	return out, changed
}

// lastMatches pairs the items of two lists: for each requested item, it returns the last live item
// with the same identity, or nil if there is none.
func lastMatches(list *graph.List, requested, live []any) []any {
	w := item.NewWorkspace()
	defer w.Done()
	return w.LastMatches(list, requested, live)
}
