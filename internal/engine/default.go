// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
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
// allocated if nothing changes. It fails for defaults without end. known are facts of v.
func Default(n *graph.Node, v any, own bool, known Facts) (out any, changed bool, wrong diag.Findings) {
	d := defaulter{noNulls: known&NoNulls != 0}
	if v == nil && !data.TakesNull(n) {
		if n.Default == nil {
			return nil, false, nil
		}
		d.add(data.CountValues(n.Default))
		v, changed, own = data.PlainCopy(n.Default), true, true
	}
	out, filled := d.value(n, v, own)
	if d.Wrong != nil {
		return nil, false, d.first(n, v)
	}
	return out, changed || filled, nil
}

// first returns what is wrong with v at the first place in the order of names,
// since the walk that found something had no order. Where all defaults together
// are too many, there is no place.
func (d *defaulter) first(n *graph.Node, v any) diag.Findings {
	again := defaulter{sorted: true}
	if again.value(n, v, false); again.Wrong != nil && d.added <= MaxDefaults {
		return again.Wrong
	}
	d.Wrong[0].Path = ""
	return d.Wrong
}

// Filling is what is known of a walk that fills in defaults, of plain data or of Go
// values.
type Filling struct {
	// Wrong ends the walk.
	Wrong diag.Findings
	// making are the defaults that are being filled in within one another.
	making []*any
	added  int
	depth  int
}

func (f *Filling) Fail(format string, args ...any) {
	if f.Wrong == nil {
		f.Wrong = diag.Newf(diag.BadSchema, format, args...)
	}
}

// Enter goes one level down, if that is not too deep. Leave comes back.
func (f *Filling) Enter() bool {
	if f.depth == data.MaxDepth && f.Wrong == nil {
		f.Wrong = data.TooDeep()
	}
	if f.Wrong != nil {
		return false
	}
	f.depth++
	return true
}

func (f *Filling) Leave() { f.depth-- }

// Begin says whether a default, which the schema has at that place and which is so many
// values, may be filled in. It would go on forever within itself. End follows.
func (f *Filling) Begin(at *any, size int) bool {
	if slices.Contains(f.making, at) {
		f.Fail("the default contains itself")
		return false
	}
	f.making = append(f.making, at)
	f.add(size)
	return f.Wrong == nil
}

func (f *Filling) End() { f.making = f.making[:len(f.making)-1] }

func (f *Filling) add(size int) {
	if f.added += size; f.added > MaxDefaults {
		f.Fail("defaults add more than %d values", MaxDefaults)
	}
}

// Plain fills defaults into plain data, which it may write to.
func (f *Filling) Plain(n *graph.Node, v any) (out any, changed bool) {
	d := defaulter{Filling: *f}
	out, changed = d.value(n, v, true)
	*f = d.Filling
	return out, changed
}

type defaulter struct {
	Filling
	// sorted says that fields are walked in the order of their names.
	sorted bool
	// noNulls says that there are none, and that nothing is nested too deep: then only
	// what can take a default is looked at.
	noNulls bool
}

// fill returns a default with its own defaults filled in. at is where the schema
// has it.
func (d *defaulter) fill(n *graph.Node, at *any) (out any) {
	if data.IsScalar(*at) {
		d.add(1)
		return data.PlainCopy(*at)
	}
	if d.Begin(at, data.CountValues(*at)) {
		known := d.noNulls
		d.noNulls = false
		out, _ = d.value(n, data.PlainCopy(*at), true)
		d.noNulls = known
		d.End()
	}
	return out
}

// value fills in what is below v, and says whether that is another container
// now, or one that was written to.
func (d *defaulter) value(n *graph.Node, v any, own bool) (any, bool) {
	if d.noNulls && !n.Defaults {
		return v, false
	}
	switch x := v.(type) {
	case map[string]any, map[any]any:
		if n.Map != nil && !free(n) {
			return d.fields(n.Map, data.AsMap(v), own).Of(v)
		}
	case []any:
		if n.List != nil && !free(n) {
			return d.items(n.List, x, own).Of(v)
		}
	}
	return v, false
}

// free says whether n allows anything, null too, and has no default below.
func free(n *graph.Node) bool {
	return n.Scalar == graph.Untyped && !n.Defaults && data.TakesNull(n)
}

func (d *defaulter) fields(m *graph.Map, x map[string]any, own bool) data.EditedMap {
	out := data.EditedMap{Map: x, Own: own}
	if len(x) == 0 && len(m.Defaulted) == 0 || !d.Enter() {
		return out
	}
	if d.noNulls && !m.Elem.Defaults && len(m.Fields) <= 4*len(x) {
		d.declared(m, x, &out)
		return out
	}
	rest := x
	if d.sorted {
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if d.field(m, name, x[name], false); d.Wrong != nil {
				d.Wrong.Prefix("." + name)
				return out
			}
		}
		rest = nil
	}
	for name, c := range rest {
		if c != nil && data.IsScalar(c) {
			continue
		}
		filled, ok, gone := d.field(m, name, c, own)
		if !ok && d.Wrong == nil {
			continue
		}
		if d.Wrong != nil {
			d.Wrong.Prefix("." + name)
			return out
		}
		if gone {
			out.Delete(name)
		} else {
			out.Put(name, filled)
		}
	}
	for _, i := range m.Defaulted {
		f := &m.Fields[i]
		if _, ok := out.Map[f.Name]; ok {
			continue
		}
		filled := d.fill(f.Type, data.NearestDefault(f.Type, &f.Default))
		if d.Wrong != nil {
			d.Wrong.Prefix("." + f.Name)
			return out
		}
		out.Put(f.Name, filled)
	}
	d.Leave()
	return out
}

// declared is fields for a map without nulls of which only declared fields can take
// defaults.
func (d *defaulter) declared(m *graph.Map, x map[string]any, out *data.EditedMap) {
	for i := range m.Fields {
		f := &m.Fields[i]
		if !f.Type.Defaults && f.Default == nil {
			continue
		}
		c, ok := x[f.Name]
		if ok {
			c, ok = d.value(f.Type, c, out.Own)
		} else if def := data.NearestDefault(f.Type, &f.Default); def != nil {
			c, ok = d.fill(f.Type, def), true
		}
		if d.Wrong != nil {
			d.Wrong.Prefix("." + f.Name)
			return
		}
		if ok {
			out.Put(f.Name, c)
		}
	}
	d.Leave()
}

// field returns what becomes of a field: nothing if ok is false.
func (d *defaulter) field(m *graph.Map, name string, c any, own bool) (filled any, ok, gone bool) {
	if c != nil {
		filled, ok = d.value(m.At(name), c, own)
		return filled, ok, false
	}
	t, def, declared := data.FieldAt(m, name)
	def = data.NearestDefault(t, def)
	switch {
	case data.TakesNull(t) || !m.Open && !declared:
		return nil, false, false
	case def == nil:
		return nil, true, true
	}
	return d.fill(t, def), true, false
}

func (d *defaulter) items(l *graph.List, x []any, own bool) data.EditedList {
	out := data.EditedList{List: x, Own: own}
	item, def := l.Item, data.NearestDefault(l.Item, &l.ItemDefault)
	if data.TakesNull(item) {
		def = nil
	}
	if d.noNulls && !item.Defaults || def == nil && (item.Map == nil && item.List == nil || free(item)) || !d.Enter() {
		return out
	}
	for i, c := range x {
		filled, ok := d.value(item, c, own)
		if c == nil && def != nil {
			filled, ok = d.fill(item, def), true
		}
		if !ok && d.Wrong == nil {
			continue
		}
		if d.Wrong != nil {
			d.Wrong.Prefix(fieldpath.IndexElement(i).String())
			return out
		}
		out.Put(i, filled)
	}
	d.Leave()
	return out
}
