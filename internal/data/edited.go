// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"maps"
	"slices"
)

// EditedMap is a copy-on-write map. If Own is false, the first change copies Map. If Own is
// true, the first change modifies Map in place. Changed is true after the first change. While
// a caller changes a copy, it may iterate over the original map.
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

// Put sets the value of a name.
func (e *EditedMap) Put(name string, v any) {
	m := e.edit()
	if len(m) == fullGroup {
		delete(m, name)
	}
	m[name] = v
}

// fullGroup is the maximum number of entries of a small Go map, which consists of a single
// group. If such a map is full, any write converts it to a table of twice the size, even if
// the key exists. To avoid the conversion, Put first deletes the key. TestPutInFullMap checks
// this.
const fullGroup = 8

// Delete removes a name.
func (e *EditedMap) Delete(name string) { delete(e.edit(), name) }

// Of returns the edited map. It returns v itself if nothing changed. v must be the original
// map.
func (e EditedMap) Of(v any) (out any, changed bool) {
	if !e.Changed {
		return v, false
	}
	return e.Map, true
}

// EditedList is a copy-on-write list. Like EditedMap, it copies the original list at the
// first change. Only existing items can be replaced.
type EditedList struct {
	List         []any
	Own, Changed bool
}

// Put replaces item i by v. The item must exist.
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
