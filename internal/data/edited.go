// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"maps"
	"slices"
)

// EditedMap is a copy-on-write map. If Own is false, the first change copies Map. If Own is
// true, all changes modify Map in place. Changed is true after the first change. If Own is
// false, callers may iterate over the original map while they make changes.
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

// fullGroup is the maximum number of entries of a small Go map, which consists of a single
// group. If such a map is full, any write converts it to a table of twice the size, even if the
// key exists. To avoid this, Put first deletes the key. TestPutInFullMap checks that it works.
const fullGroup = 8

// Delete removes the entry with the given name.
func (e *EditedMap) Delete(name string) { delete(e.edit(), name) }

// Of returns the edited map. It returns v itself if nothing changed. v must be the original
// map.
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

// Of returns the edited list. If nothing changed, it returns v itself, which avoids an
// allocation. v must be the original list.
func (e EditedList) Of(v any) (out any, changed bool) {
	if !e.Changed {
		return v, false
	}
	return e.List, true
}
