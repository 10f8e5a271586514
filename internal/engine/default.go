package engine

import (
	"maps"
	"reflect"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
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
		return nil, false, d.wrong
	}
	return out, changed || filled, nil
}

type defaulter struct {
	// making are the defaults that are being filled in within one another.
	making []*any
	added  int
	depth  int
	wrong  diag.Findings
}

// made returns a copy of a default.
func (d *defaulter) made(def any) any {
	d.added += size(def)
	if d.added > MaxDefaults && d.wrong == nil {
		d.wrong = diag.Newf(diag.BadSchema, "defaults add more than %d values", MaxDefaults)
	}
	return plainCopy(def)
}

// plainCopy returns a copy of a default in the form that decoded JSON has,
// whatever decoder the schema came from.
func plainCopy(def any) any {
	switch x := def.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for name, c := range x {
			out[name] = plainCopy(c)
		}
		return out
	case map[any]any:
		return plainCopy(asMap(x))
	case []any:
		out := make([]any, len(x))
		for i, c := range x {
			out[i] = plainCopy(c)
		}
		return out
	case int:
		return int64(x)
	case int32:
		return int64(x)
	case float32:
		return float64(x)
	}
	return def
}

// size returns how many values v is.
func size(v any) int {
	n := 1
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			n += size(c)
		}
	case map[any]any:
		for _, c := range x {
			n += size(c)
		}
	case []any:
		for _, c := range x {
			n += size(c)
		}
	}
	return n
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
	if d.wrong != nil {
		return v, false
	}
	switch x := v.(type) {
	case map[string]any:
		if n.Map == nil || free(n) {
			return v, false
		}
		if d.depth++; d.depth > MaxDepth {
			d.wrong = diag.Newf(diag.TooDeep, "nested more than %d levels deep", MaxDepth)
			return v, false
		}
		out, changed := d.fields(n, x, own)
		d.depth--
		return out, changed
	case []any:
		if n.List == nil || free(n) {
			return v, false
		}
		if d.depth++; d.depth > MaxDepth {
			d.wrong = diag.Newf(diag.TooDeep, "nested more than %d levels deep", MaxDepth)
			return v, false
		}
		out, changed := d.items(n.List, x, own)
		d.depth--
		if changed {
			return out, true
		}
	case map[any]any:
		if n.Map == nil || free(n) {
			return v, false
		}
		if out, changed := d.value(n, asMap(v), own); changed {
			return out, true
		}
	}
	return v, false
}

// takesNull says whether null is a value of type n.
func takesNull(n *graph.Node) bool {
	return n.Nullable || nullable(n) && !n.Map.Structural
}

// free says whether n allows anything, null too, and has no default below.
func free(n *graph.Node) bool {
	return n.Scalar == graph.Untyped && !n.Defaults && takesNull(n)
}

func (d *defaulter) fields(n *graph.Node, x map[string]any, own bool) (map[string]any, bool) {
	m, out, changed := n.Map, x, false
	put := func(name string, v any, keep bool) {
		if !changed && !own {
			out = maps.Clone(x)
		}
		changed = true
		if keep {
			out[name] = v
		} else {
			delete(out, name)
		}
	}
	mark := len(d.wrong)
	for name, c := range x {
		switch c.(type) {
		case nil:
			t, def := at(m, name)
			if takesNull(t) || !m.Open && m.Field(name) == nil {
				continue
			}
			if def == nil {
				put(name, nil, false)
				continue
			}
			put(name, d.fill(t, def), true)
		case map[string]any, []any, map[any]any:
			if filled, ok := d.value(m.At(name), c, own); ok {
				put(name, filled, true)
			}
		}
		if len(d.wrong) > mark {
			d.wrong.Prefix("." + name)
			return out, changed
		}
	}
	if !n.Defaults || m.Fields == nil {
		return out, changed
	}
	for _, i := range defaulted(n) {
		f := &m.Fields[i]
		if _, ok := out[f.Name]; ok {
			continue
		}
		_, def := at(m, f.Name)
		put(f.Name, d.fill(f.Type, def), true)
		if len(d.wrong) > mark {
			d.wrong.Prefix("." + f.Name)
			return out, changed
		}
	}
	return out, changed
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

// defaultedFields are the indexes of the fields of a map that have a default.
type defaultedFields []int32

// defaulted returns those of n, which are looked for once.
func defaulted(n *graph.Node) defaultedFields {
	return n.Plans.For(reflect.TypeFor[defaultedFields](), func() any {
		var all defaultedFields
		for i := range n.Map.Fields {
			if f := &n.Map.Fields[i]; nearest(f.Type, &f.Default) != nil {
				all = append(all, int32(i))
			}
		}
		return all
	}).(defaultedFields)
}

func (d *defaulter) items(l *graph.List, x []any, own bool) ([]any, bool) {
	out, changed := x, false
	put := func(i int, v any) {
		if !changed && !own {
			out = slices.Clone(x)
		}
		changed = true
		out[i] = v
	}
	mark := len(d.wrong)
	for i, c := range x {
		switch c.(type) {
		case nil:
			if def := nearest(l.Item, &l.ItemDefault); def != nil && !takesNull(l.Item) {
				put(i, d.fill(l.Item, def))
			}
		case map[string]any, []any, map[any]any:
			if filled, ok := d.value(l.Item, c, own); ok {
				put(i, filled)
			}
		}
		if len(d.wrong) > mark {
			d.wrong.Prefix(fieldpath.PathElement{Index: &i}.String())
			return out, changed
		}
	}
	return out, changed
}
