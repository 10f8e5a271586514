// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// place is a map inside an object, together with its position. The first change at a place
// copies the map, and all maps and lists that contain it, so that the original object
// stays unchanged.
type place struct {
	fill *filling
	// data is the map, or nil for an absent struct.
	data map[string]any
	// own is true if data is already a copy, so that Fill may modify it.
	own bool

	// up is the place that contains this place, or nil at the root. name is the field of up that
	// leads to this place.
	up   *place
	name string
	// For a list item, items is the list, and index is the position in the list. For a value in a
	// map, values is the map, and key is the value's key.
	items  *items
	index  int
	values *values
	key    string
}

// items is a list whose items Fill is visiting. own is true if the list is already a copy, so that
// Fill may modify it.
type items struct {
	all []any
	own bool
}

// values is a map whose values Fill is visiting. own is true if the map is already a copy, so that
// Fill may modify it.
type values struct {
	all map[string]any
	own bool
}

// write returns the map of p, which callers may change. It copies the map
// first if necessary.
func (p *place) write() map[string]any {
	if p.own {
		return p.data
	}
	if p.data == nil {
		p.data = map[string]any{}
	} else {
		p.data = maps.Clone(p.data)
	}
	p.own = true
	switch {
	case p.up == nil:
	case p.items != nil:
		if !p.items.own {
			p.items.all, p.items.own = slices.Clone(p.items.all), true
			p.up.write()[p.name] = p.items.all
		}
		p.items.all[p.index] = p.data
	case p.values != nil:
		if !p.values.own {
			p.values.all, p.values.own = maps.Clone(p.values.all), true
			p.up.write()[p.name] = p.values.all
		}
		p.values.all[p.key] = p.data
	default:
		p.up.write()[p.name] = p.data
	}
	return p.data
}

// set sets a field, unless the caller's options skip it.
func (p *place) set(name string, v any) {
	if p.fill.accept(p, name, v) {
		p.write()[name] = v
	}
}

// remove removes a field, unless the caller's options skip it.
func (p *place) remove(name string) {
	if p.fill.accept(p, name, nil) {
		delete(p.write(), name)
	}
}

// at returns the place of a field. The value of the field must be a map or absent.
func (p *place) at(name string) *place {
	return &place{fill: p.fill, data: object(p.data[name]), up: p, name: name}
}

// each calls f for each item of the list in a field. A null item counts as an empty map, because Go
// decodes null to an empty struct. Items that are neither a map nor null are skipped.
func (p *place) each(name string, f func(*place)) {
	all := array(p.data[name])
	if len(all) == 0 {
		return
	}
	l := &items{all: all}
	for i := range l.all {
		if m, ok := l.all[i].(map[string]any); ok || l.all[i] == nil {
			f(&place{fill: p.fill, data: m, up: p, name: name, items: l, index: i})
		}
	}
}

// path returns the path of p.
func (p *place) path() fieldpath.Path {
	if p.up == nil {
		return nil
	}
	path := append(p.up.path(), fieldpath.FieldNameElement(p.name))
	switch {
	case p.items != nil:
		path = append(path, fieldpath.IndexElement(p.index))
	case p.values != nil:
		path = append(path, fieldpath.FieldNameElement(p.key))
	}
	return path
}

// object returns v if it is a map, otherwise nil. The functions array and text do the same
// for lists and strings.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func array(v any) []any {
	l, _ := v.([]any)
	return l
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// zero reports whether Go decodes v to a zero value or to an empty list.
func zero(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case string:
		return x == ""
	case bool:
		return !x
	case int64:
		return x == 0
	case int:
		return x == 0
	case float64:
		return x == 0
	case []any:
		return len(x) == 0
	}
	return false
}
