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

// A liveReplacer traverses the live object and the object in a request side by side. If decide
// returns useLive, it replaces the value in the request with the live value, so that the value
// does not count as a change.
type liveReplacer struct {
	// decide chooses between the live value and the value in the request. It is called for values
	// that exist in both objects, beginning at the root. It is called for the contents of a map or
	// list only if it returned descend for this map or list.
	decide func(live place.Place, v any) decision
}

// A decision selects the value that a liveReplacer puts into its result.
type decision int

const (
	keepRequested decision = iota // keep the value of the request
	descend                       // decide separately for each field or item inside
	useLive                       // keep the live value
)

// maxReplaceDepth is the maximum depth to which a liveReplacer descends.
const maxReplaceDepth = 1000

// replaceWithLive returns the requested value v, with live values wherever decide returns useLive. If
// it returns useLive nowhere, the result is v itself and false. replaceWithLive does not modify v: the
// result has copies of the maps and lists that change, and shares the others.
func (lr *liveReplacer) replaceWithLive(live place.Place, v any, depth int) (any, bool) {
	switch d := lr.decide(live, v); {
	case d == useLive:
		return live.Plain, true
	case d == keepRequested || depth == maxReplaceDepth:
		return v, false
	}
	switch v := v.(type) {
	case map[string]any:
		if liveFields, ok := live.Plain.(map[string]any); ok {
			return lr.replaceInMap(live, liveFields, v, depth)
		}
	case []any:
		if liveItems, ok := live.Plain.([]any); ok {
			return lr.replaceInList(live, liveItems, v, depth)
		}
	}
	return v, false
}

// replaceInMap does the same as replaceWithLive for a map: it replaces values of the requested map, or values
// inside them, with live values. liveFields is the live map.
func (lr *liveReplacer) replaceInMap(live place.Place, liveFields, v map[string]any, depth int) (any, bool) {
	out, changed := v, false
	for name, requested := range v {
		liveValue, ok := liveFields[name]
		if !ok {
			continue
		}
		at := live.Field(name) // the type of the field, without a value
		at.Plain = liveValue
		if replaced, ok := lr.replaceWithLive(at, requested, depth+1); ok {
			if !changed {
				out, changed = maps.Clone(v), true
			}
			out[name] = replaced
		}
	}
	return out, changed
}

// replaceInList does the same as replaceWithLive for a list: it replaces items of the requested list, or values
// inside them, with live values. liveItems is the live list. In a list with keys, it pairs a requested
// item with the live item that has equal keys. In an atomic list, it pairs items by index. A set stays
// as it is, because the value of an item is its identity.
func (lr *liveReplacer) replaceInList(live place.Place, liveItems, v []any, depth int) (any, bool) {
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
	for i, requested := range v[:min(len(v), len(matches))] {
		liveItem := matches[i]
		if keyed && liveItem == nil {
			continue // the item is new
		}
		at.Plain = liveItem
		if replaced, ok := lr.replaceWithLive(at, requested, depth+1); ok {
			if !changed {
				out, changed = slices.Clone(v), true
			}
			out[i] = replaced
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
