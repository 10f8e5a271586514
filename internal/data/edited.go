// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"maps"
	"slices"
)

// EditedMap is a map that is copied when it is first written to, unless it is the
// writer's Own. Whoever ranges over it ranges over what it was.
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

// Put gives a name a value.
func (e *EditedMap) Put(name string, v any) {
	m := e.edit()
	if len(m) == fullGroup {
		delete(m, name)
	}
	m[name] = v
}

// fullGroup is how many entries a map of Go has at most while it is one group. Whatever is
// written to one that has as many makes it a table of twice the size, even if the name is
// there: it is to be taken out first. See TestPutInFullMap.
const fullGroup = 8

// Delete takes a name out.
func (e *EditedMap) Delete(name string) { delete(e.edit(), name) }

// Of returns what became of v, which the map is of.
func (e EditedMap) Of(v any) (out any, changed bool) {
	if !e.Changed {
		return v, false
	}
	return e.Map, true
}

// EditedList is the same for a list, in which items take the place of others.
type EditedList struct {
	List         []any
	Own, Changed bool
}

// Put puts v in the place of item i, which there is.
func (e *EditedList) Put(i int, v any) {
	if !e.Changed && !e.Own {
		e.List = slices.Clone(e.List)
	}
	e.Changed = true
	e.List[i] = v
}

// Of returns what became of v, which is the list: it is not boxed again.
func (e EditedList) Of(v any) (out any, changed bool) {
	if !e.Changed {
		return v, false
	}
	return e.List, true
}
