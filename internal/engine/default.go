// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// MaxDefaults is how many values the defaults of one object may add. Defaults
// within defaults can double with each level of a schema.
const MaxDefaults = 1 << 20

// Default returns v, a value of type n, with its defaults filled in, as KEP-1929
// has them: what is absent takes its default, which is then filled in itself; a
// null that is no value takes the default too, or goes where it is a field or
// the value of a map. Items stay, null or not, if there is no default for them.
//
// Defaults are copied for each use. What does not change is v's own, and v is
// left alone unless own is set: then its containers are written to. Nothing is
// allocated if nothing changes. It fails for defaults without end.
func Default(n *graph.Node, v any, own bool) (out any, changed bool, wrong diag.Findings) {
	d := defaulter{}
	if v == nil && !takesNull(n) {
		if n.Default == nil {
			return nil, false, nil
		}
		v, changed, own = d.made(n.Default), true, true
	}
	out, filled := d.value(n, v, own)
	if d.wrong != nil {
		return nil, false, d.first(n, v)
	}
	return out, changed || filled, nil
}

// first returns what is wrong with v at the first place in the order of names,
// since the walk that found something had no order. Where all defaults together
// are too many, there is no place.
func (d *defaulter) first(n *graph.Node, v any) diag.Findings {
	again := defaulter{sorted: true}
	if again.value(n, v, false); again.wrong != nil && d.added <= MaxDefaults {
		return again.wrong
	}
	d.wrong[0].Path = ""
	return d.wrong
}

type defaulter struct {
	// making are the defaults that are being filled in within one another.
	making []*any
	added  int
	depth  int
	wrong  diag.Findings
	// sorted says that fields are walked in the order of their names.
	sorted bool
}

// fill returns a default with its own defaults filled in. at is where the schema
// has it: a default that turns up within itself would go on forever.
func (d *defaulter) fill(n *graph.Node, at *any) any {
	if slices.Contains(d.making, at) {
		if d.wrong == nil {
			d.wrong = diag.Newf(diag.BadSchema, "the default contains itself")
		}
		return nil
	}
	d.making = append(d.making, at)
	out, _ := d.value(n, d.made(*at), true)
	d.making = d.making[:len(d.making)-1]
	return out
}

// value fills in what is below v, and says whether that is another container
// now, or one that was written to.
func (d *defaulter) value(n *graph.Node, v any, own bool) (any, bool) {
	switch x := v.(type) {
	case map[string]any:
		if n.Map == nil || free(n) {
			return v, false
		}
		return d.fields(n.Map, x, own)
	case []any:
		if n.List == nil || free(n) {
			return v, false
		}
		// A list that stays as it is must not be boxed again.
		if out, changed := d.items(n.List, x, own); changed {
			return out, true
		}
	case map[any]any:
		if n.Map == nil || free(n) {
			return v, false
		}
		if out, changed := d.fields(n.Map, asMap(v), own); changed {
			return out, true
		}
	}
	return v, false
}

// enter goes one level down, if that is not too deep.
func (d *defaulter) enter() bool {
	if d.depth == MaxDepth || d.wrong != nil {
		if d.wrong == nil {
			d.wrong = diag.Newf(diag.TooDeep, "nested more than %d levels deep", MaxDepth)
		}
		return false
	}
	d.depth++
	return true
}

// takesNull says whether null is a value of type n.
func takesNull(n *graph.Node) bool {
	return n.Nullable || nullable(n) && !n.Map.Structural
}

// free says whether n allows anything, null too, and has no default below.
func free(n *graph.Node) bool {
	return n.Scalar == graph.Untyped && !n.Defaults && takesNull(n)
}

func (d *defaulter) fields(m *graph.Map, x map[string]any, own bool) (map[string]any, bool) {
	if len(x) == 0 && len(m.Defaulted) == 0 || !d.enter() {
		return x, false
	}
	out, changed := x, false
	rest := x
	if d.sorted {
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if d.field(m, name, x[name], false); d.wrong != nil {
				d.wrong.Prefix("." + name)
				return x, false
			}
		}
		rest = nil
	}
	for name, c := range rest {
		switch c.(type) {
		case map[string]any, []any, map[any]any, nil:
		default:
			continue
		}
		filled, ok, gone := d.field(m, name, c, own)
		if !ok && d.wrong == nil {
			continue
		}
		if d.wrong != nil {
			d.wrong.Prefix("." + name)
			return out, changed
		}
		if !changed && !own {
			out = maps.Clone(x)
		}
		changed = true
		if gone {
			delete(out, name)
		} else {
			out[name] = filled
		}
	}
	for _, i := range m.Defaulted {
		f := &m.Fields[i]
		if _, ok := out[f.Name]; ok {
			continue
		}
		filled := d.fill(f.Type, nearest(f.Type, &f.Default))
		if d.wrong != nil {
			d.wrong.Prefix("." + f.Name)
			return out, changed
		}
		if !changed && !own {
			out = maps.Clone(x)
		}
		if out == nil {
			out = map[string]any{} // x was nil, which is an empty map
		}
		changed = true
		out[f.Name] = filled
	}
	d.depth--
	return out, changed
}

// field returns what becomes of a field: nothing if ok is false.
func (d *defaulter) field(m *graph.Map, name string, c any, own bool) (filled any, ok, gone bool) {
	switch c := c.(type) {
	case map[string]any:
		if t := m.At(name); t.Map != nil && !free(t) {
			filled, ok = d.fields(t.Map, c, own)
		}
	case []any, map[any]any:
		filled, ok = d.value(m.At(name), c, own)
	case nil:
		return d.null(m, name)
	}
	return filled, ok, false
}

// null returns what becomes of a field that is null: nothing if ok is false.
func (d *defaulter) null(m *graph.Map, name string) (filled any, ok, gone bool) {
	t, def := at(m, name)
	switch {
	case takesNull(t) || !m.Open && m.Field(name) == nil:
		return nil, false, false
	case def == nil:
		return nil, true, true
	}
	return d.fill(t, def), true, false
}

// at returns the type of a field or of a value of m, and where its default is,
// nil if it has none. The nearest one counts.
func at(m *graph.Map, name string) (*graph.Node, *any) {
	t, def := m.Elem, &m.ElemDefault
	if f := m.Field(name); f != nil {
		t, def = f.Type, &f.Default
	}
	return t, nearest(t, def)
}

func nearest(t *graph.Node, def *any) *any {
	if *def == nil {
		def = &t.Default
	}
	if *def == nil {
		return nil
	}
	return def
}

func (d *defaulter) items(l *graph.List, x []any, own bool) ([]any, bool) {
	item, def := l.Item, nearest(l.Item, &l.ItemDefault)
	if takesNull(item) {
		def = nil
	}
	if def == nil && (item.Map == nil && item.List == nil || free(item)) || !d.enter() {
		return x, false
	}
	out, changed := x, false
	for i, c := range x {
		var filled any
		ok := false
		switch c := c.(type) {
		case map[string]any:
			if item.Map != nil && !free(item) {
				filled, ok = d.fields(item.Map, c, own)
			}
		case []any, map[any]any:
			filled, ok = d.value(item, c, own)
		case nil:
			if ok = def != nil; ok {
				filled = d.fill(item, def)
			}
		}
		if !ok && d.wrong == nil {
			continue
		}
		if d.wrong != nil {
			d.wrong.Prefix(indexElement(i).String())
			return out, changed
		}
		if !changed && !own {
			out = slices.Clone(x)
		}
		changed = true
		out[i] = filled
	}
	d.depth--
	return out, changed
}
