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

// changes is a set of changes to a config. Each change removes a field or item, or replaces its
// value.
type changes struct {
	edits edit
	// If onlyKnown is true, the method apply removes undeclared fields from new values.
	onlyKnown bool
	// owned is the field set of the applier before the apply.
	owned *fieldpath.Set
}

// edit is a node in the tree of changes. Its own change is made before the changes of its children.
type edit struct {
	// change is the change at the path of this node. It is nil if there are only changes
	// below this path.
	change *change
	// children maps path elements to *edits. order contains the same elements in the order in
	// which they were added.
	children fieldpath.PathElementMap
	order    []fieldpath.PathElement
}

// change is a change of one field or item. If replace is true, the field or item gets the new
// value. If it is false, the field or item is removed.
type change struct {
	replace bool
	value   any
}

// add adds a change at path. It replaces an earlier change at the same path.
func (cs *changes) add(path fieldpath.Path, c change) {
	e := &cs.edits
	for _, element := range path {
		next, ok := e.children.Get(element)
		if !ok {
			next = &edit{}
			e.children.Insert(element, next)
			e.order = append(e.order, element)
		}
		e = next.(*edit)
	}
	e.change = &c
}

// removes reports whether e removes the field with the given name.
func (e *edit) removes(name string) bool {
	child, ok := e.children.Get(fieldpath.PathElement{FieldName: &name})
	return ok && child.(*edit).change != nil && !child.(*edit).change.replace
}

// apply makes the changes in a copy of config, and returns the copy and whether anything
// changed. t is the type of config. The copy shares unchanged parts with config.
//
// If a change removes a value, these rules apply:
//
//   - A map or list that becomes empty is also removed, because the applier would otherwise own
//     it as an empty value. There is one exception: it stays if the applier already owns it.
//     Giving it up could remove it together with the fields of other managers.
//   - List items stay with their keys, because the config still requires the items to exist. If
//     an item has no other value, all its keys are written, even those with default values,
//     because a merge across API versions would ignore an empty item.
//   - If a key is removed, the whole item is removed, because without the key it would be a
//     different item. There is one exception: the item stays if the key has its default value
//     and the item has other values.
//   - If the config has a scalar or null at a parent of the path, that value is removed.
func (cs *changes) apply(config map[string]any, t typed.ParseableType) (map[string]any, bool) {
	v, changed := cs.editContainer(*place.ObjectOf(t, config), &cs.edits, nil)
	if !changed {
		return config, false
	}
	return v.(map[string]any), true // a change never removes the root
}

// editPlace makes the changes of e in the value of the place p, and returns the new value. stays is
// false if a change removes the value. path is the path of p.
func (cs *changes) editPlace(p place.Place, e *edit, path fieldpath.Path) (v any, stays, changed bool) {
	if c := e.change; c != nil {
		if !c.replace {
			return nil, false, true
		}
		p.Plain, changed = cs.newValue(p, c.value), true
	}
	if len(e.order) == 0 {
		return p.Plain, true, changed
	}
	if !isContainer(p.Plain) {
		return nil, false, true
	}
	v, changedInside := cs.editContainer(p, e, path)
	return v, true, changed || changedInside
}

// editContainer makes the changes of e's children in a map or list. It returns the new value,
// and whether anything changed.
func (cs *changes) editContainer(p place.Place, e *edit, path fieldpath.Path) (any, bool) {
	switch plain := p.Plain.(type) {
	case map[string]any:
		return cs.editMap(p, plain, e, path)
	case []any:
		return cs.editList(p, plain, e, path)
	}
	return p.Plain, false
}

func (cs *changes) editMap(p place.Place, m map[string]any, e *edit, path fieldpath.Path) (any, bool) {
	var out map[string]any // nil until something changes
	for _, element := range e.order {
		if element.FieldName == nil {
			continue
		}
		name := *element.FieldName
		next := p.Field(name)
		var ok bool
		if next.Plain, ok = m[name]; !ok {
			continue
		}
		child, _ := e.children.Get(element)
		at := append(path, element)
		v, stays, changed := cs.editPlace(next, child.(*edit), at)
		if !changed {
			continue
		}
		if out == nil {
			out = maps.Clone(m)
		}
		if !stays || child.(*edit).change == nil && isEmpty(v) && !cs.owned.Has(at) {
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

// newValue returns v. If onlyKnown is true, it removes undeclared fields from v.
func (cs *changes) newValue(at place.Place, v any) any {
	if !cs.onlyKnown || !at.Typed {
		return v
	}
	if pruned, changed, _ := engine.Prune(compiled.Node(at.Schema, at.Ref), v, false); changed { // changed is false if Prune returns an error
		return pruned
	}
	return v
}

func (cs *changes) editList(p place.Place, list []any, e *edit, path fieldpath.Path) (any, bool) {
	var (
		out     []any // nil until something changes
		removed []int // indexes of removed items
		typ     = p.List()
	)
	for _, element := range e.order {
		i, item, ok := p.Item(list, element)
		if !ok {
			continue
		}
		if out != nil {
			item.Plain = out[i] // an earlier change may have changed the same item
		}
		child, _ := e.children.Get(element)
		v, stays, changed := cs.editItem(typ, item, element, child.(*edit), append(path, element))
		if !changed {
			continue
		}
		if out == nil {
			out = slices.Clone(list)
		}
		if out[i] = v; !stays {
			removed = append(removed, i)
		}
	}
	if out == nil {
		return list, false
	}
	return withoutItems(out, removed), true
}

// editItem does the same as editPlace for a list item. element identifies the item.
func (cs *changes) editItem(list *graph.List, p place.Place, element fieldpath.PathElement, e *edit, path fieldpath.Path) (v any, stays, changed bool) {
	keyRemoved := false
	if m, ok := p.Plain.(map[string]any); ok && element.Key != nil {
		for _, k := range *element.Key {
			if !e.removes(k.Name) {
				continue
			}
			if place.NeedsKey(list, *element.Key, k.Name) {
				return nil, false, true
			}
			_, written := m[k.Name]
			keyRemoved = keyRemoved || written
		}
	}
	v, stays, changed = cs.editPlace(p, e, path)
	if !changed || !stays || e.change != nil {
		return v, stays, changed
	}
	if hasNoValues(v) && element.Key != nil {
		return withKeys(v, *element.Key), !keyRemoved, true
	}
	return v, true, true
}

// withoutItems returns list without the items at the given indexes. It modifies list, and
// sorts the indexes.
func withoutItems(list []any, removed []int) []any {
	if len(removed) == 0 {
		return list
	}
	slices.Sort(removed)
	out := list[:0]
	for i, item := range list {
		if _, found := slices.BinarySearch(removed, i); !found {
			out = append(out, item)
		}
	}
	clear(list[len(out):])
	return out
}

// withKeys returns a copy of item with all keys set, including keys with default values.
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

// hasNoValues reports whether v is null, an empty list, or a map that contains only null and
// empty values.
func hasNoValues(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, c := range v {
			if !hasNoValues(c) {
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
