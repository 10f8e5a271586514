// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"maps"
	"slices"
)

// EditedMap is a copy-on-write map. The first change copies Map and sets Changed. Callers may
// iterate over the original map while they make changes. If Own is true, EditedMap makes no copy,
// and changes modify Map in place.
type EditedMap struct {
	Map          map[string]any
	Own, Changed bool
}

func (e *EditedMap) edit() map[string]any {
	if !e.Changed && !e.Own {
		e.Map = maps.Clone(e.Map)
	}
	if e.Changed = true; e.Map == nil {
		e.Map = map[string]any{}
	}
	return e.Map
}

// Put sets the value of the given name.
func (e *EditedMap) Put(name string, v any) {
	m := e.edit()
	if len(m) == fullGroup {
		delete(m, name)
	}
	m[name] = v
}

// fullGroup is the maximum number of entries in a small Go map. Writing to a small map that is full
// doubles its size, even if the key already exists. To avoid this, Put deletes the key first.
// TestPutInFullMap checks that this works.
const fullGroup = 8

// Delete removes the entry with the given name.
func (e *EditedMap) Delete(name string) { delete(e.edit(), name) }

// Of returns the edited map, and whether it changed. v must be the original map. If nothing
// changed, Of returns v itself.
func (e EditedMap) Of(v any) (out any, changed bool) {
	if !e.Changed {
		return v, false
	}
	return e.Map, true
}

// EditedList is a copy-on-write list. Own and Changed have the same meaning as in EditedMap. A
// change can only replace existing items.
type EditedList struct {
	List         []any
	Own, Changed bool
}

// Put replaces item i with v. The item must exist.
func (e *EditedList) Put(i int, v any) {
	if !e.Changed && !e.Own {
		e.List = slices.Clone(e.List)
	}
	e.Changed = true
	e.List[i] = v
}

// Of returns the edited list, and whether it changed. v must be the original list. If nothing
// changed, Of returns v itself, which avoids an allocation.
func (e EditedList) Of(v any) (out any, changed bool) {
	if !e.Changed {
		return v, false
	}
	return e.List, true
}
