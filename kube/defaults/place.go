// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// place is where a map stands in an object. The object is not written to: what is above a
// place is copied when something is written there first.
type place struct {
	fill *filling
	// data is the map, nil of a struct that is not there.
	data map[string]any
	// own says that data is a copy.
	own bool

	// up is the place around this one, nil of the object itself; name is its field there.
	up   *place
	name string
	// items, with the index of this one, if name is a list; values, with the key of this
	// one, if it is a map.
	items  *items
	index  int
	values *values
	key    string
}

// items is a list that is walked, and whether it is a copy.
type items struct {
	all []any
	own bool
}

// values is a map that is walked, and whether it is a copy.
type values struct {
	all map[string]any
	own bool
}

// write returns the map of p, to be written to.
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

// set fills in a field.
func (p *place) set(name string, v any) {
	if p.fill.wants(p, name, v) {
		p.write()[name] = v
	}
}

// remove takes out a field.
func (p *place) remove(name string) {
	if p.fill.wants(p, name, nil) {
		delete(p.write(), name)
	}
}

// at is the place of a field that holds a map, or may.
func (p *place) at(name string) *place {
	return &place{fill: p.fill, data: object(p.data[name]), up: p, name: name}
}

// each calls f with the place of each item of a list that is a map, or null, which is
// decoded to an empty one.
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

// path leads to p.
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

// object, array and text are what v is, or nothing.
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

// zero says whether Go decodes v to a zero value, or to an empty list.
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
