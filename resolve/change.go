// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// changes are changes of places of a config: each goes, or gets another value.
type changes struct {
	edits edit
	// onlyKnown says that what the type does not know is left out of new values.
	onlyKnown bool
	// held is what the applier owns already.
	held *fieldpath.Set
}

// edit is what becomes of a place and of what is below it, in this order.
type edit struct {
	// change is nil if the place stays.
	change *change
	// below are *edits, by their elements, which are also in names in the order in
	// which they came.
	below fieldpath.PathElementMap
	names []fieldpath.PathElement
}

// change says that a place goes, or with set that it gets the value to.
type change struct {
	set bool
	to  any
}

// add takes up a change at path, in place of an earlier one there.
func (cs *changes) add(path fieldpath.Path, c change) {
	e := &cs.edits
	for _, element := range path {
		next, ok := e.below.Get(element)
		if !ok {
			next = &edit{}
			e.below.Insert(element, next)
			e.names = append(e.names, element)
		}
		e = next.(*edit)
	}
	e.change = &c
}

// drops says whether the field name of the place goes.
func (e *edit) drops(name string) bool {
	down, ok := e.below.Get(fieldpath.PathElement{FieldName: &name})
	return ok && down.(*edit).change != nil && !down.(*edit).change.set
}

// in returns config, which is of type t, with the changes, and whether there was
// anything to change. What the changes leave alone is shared.
//
// What goes takes with it the maps and lists that it leaves empty: they would be
// owned as empty ones. Those that the applier owns already stay, since to give them
// up could remove them with all that others have there. Items of lists stay with
// their keys, since the config still says that they are to be there; where all of
// them are defaults that were not written and no other value is left, they are
// written, since a merge of several versions takes such an item for none. An item
// whose key goes is another one, so it goes as a whole. Where the config has a
// scalar or null on the way to the place, that is what stands for the place.
func (cs *changes) in(config map[string]any, t typed.ParseableType) (map[string]any, bool) {
	v, changed := cs.below(*place.ObjectOf(t, config), &cs.edits, nil)
	if !changed {
		return config, false
	}
	return v.(map[string]any), true // only what is below the root goes
}

// at returns what becomes of the place p at path, and whether it stays.
func (cs *changes) at(p place.Place, e *edit, path fieldpath.Path) (v any, stays, changed bool) {
	if c := e.change; c != nil {
		if !c.set {
			return nil, false, true
		}
		p.Plain, changed = cs.value(p, c.to), true
	}
	if len(e.names) == 0 {
		return p.Plain, true, changed
	}
	if !isContainer(p.Plain) {
		return nil, false, true
	}
	v, below := cs.below(p, e, path)
	return v, true, changed || below
}

// below returns what becomes of a container when what is below it changes.
func (cs *changes) below(p place.Place, e *edit, path fieldpath.Path) (any, bool) {
	switch plain := p.Plain.(type) {
	case map[string]any:
		return cs.inMap(p, plain, e, path)
	case []any:
		return cs.inList(p, plain, e, path)
	}
	return p.Plain, false
}

func (cs *changes) inMap(p place.Place, m map[string]any, e *edit, path fieldpath.Path) (any, bool) {
	var out map[string]any // nil as long as nothing changes
	for _, element := range e.names {
		if element.FieldName == nil {
			continue
		}
		name := *element.FieldName
		next := p.Field(name)
		var ok bool
		if next.Plain, ok = m[name]; !ok {
			continue
		}
		down, _ := e.below.Get(element)
		at := append(path, element)
		v, stays, changed := cs.at(next, down.(*edit), at)
		if !changed {
			continue
		}
		if out == nil {
			out = maps.Clone(m)
		}
		if !stays || down.(*edit).change == nil && isEmpty(v) && !cs.held.Has(at) {
			delete(out, name)
		} else {
			out[name] = v
		}
	}
	if out == nil {
		return m, false
	}
	return out, true
}

// value is what a place gets.
func (cs *changes) value(at place.Place, to any) any {
	if !cs.onlyKnown || !at.Typed {
		return to
	}
	if v, changed, _ := engine.Prune(compiled.Node(at.Schema, at.Ref), to, false); changed { // with an error, it is false
		return v
	}
	return to
}

func (cs *changes) inList(p place.Place, list []any, e *edit, path fieldpath.Path) (any, bool) {
	var (
		out  []any // nil as long as nothing changes
		gone []int
		typ  = p.List()
	)
	for _, element := range e.names {
		i, item, ok := p.Item(list, element)
		if !ok {
			continue
		}
		if out != nil {
			item.Plain = out[i] // it may have another name, too
		}
		down, _ := e.below.Get(element)
		v, stays, changed := cs.item(typ, item, element, down.(*edit), append(path, element))
		if !changed {
			continue
		}
		if out == nil {
			out = slices.Clone(list)
		}
		if out[i] = v; !stays {
			gone = append(gone, i)
		}
	}
	if out == nil {
		return list, false
	}
	return without(out, gone), true
}

// item is at for the item of a list that element names.
func (cs *changes) item(list *graph.List, p place.Place, element fieldpath.PathElement, e *edit, path fieldpath.Path) (v any, stays, changed bool) {
	keyGoes := false
	if m, ok := p.Plain.(map[string]any); ok && element.Key != nil {
		for _, k := range *element.Key {
			if !e.drops(k.Name) {
				continue
			}
			if place.NeedsKey(list, *element.Key, k.Name) {
				return nil, false, true
			}
			_, written := m[k.Name]
			keyGoes = keyGoes || written
		}
	}
	v, stays, changed = cs.at(p, e, path)
	if !changed || !stays || e.change != nil {
		return v, stays, changed
	}
	if saysNothing(v) && element.Key != nil {
		return withKeys(v, *element.Key), !keyGoes, true
	}
	return v, true, true
}

// without is list, which it may overwrite, without the items at some indexes.
func without(list []any, gone []int) []any {
	if len(gone) == 0 {
		return list
	}
	slices.Sort(gone)
	out := list[:0]
	for i, item := range list {
		if _, goes := slices.BinarySearch(gone, i); !goes {
			out = append(out, item)
		}
	}
	clear(list[len(out):])
	return out
}

// withKeys is an item with all of its keys.
func withKeys(item any, key value.FieldList) any {
	m, ok := item.(map[string]any)
	if !ok {
		return item
	}
	m = document.Shallow(m)
	for _, k := range key {
		m[k.Name] = k.Value.Unstructured()
	}
	return m
}

// saysNothing says whether v is null, an empty list, or a map with nothing else in it.
func saysNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, c := range v {
			if !saysNothing(c) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func isEmpty(v any) bool { return data.IsEmptyMap(v) || data.IsEmptyList(v) }
