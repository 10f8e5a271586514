// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// Default fills defaults into what v, a pointer, points to, and returns v,
// or a new pointer if v is nil and n has a default. It is Default for Go values,
// where absent, null and zero are one: what is zero takes its default, if there
// is one, and pointers, slices, maps and interfaces only when they are nil.
// Values of a map that are nil pointers without a default go where null is no
// value; nil slices stay, since Go does not tell them from empty ones. What
// converts itself takes a default as JSON, and is not looked into.
//
// It fails for defaults that do not fit the Go type, where they are needed, for
// defaults without end and for data nested too deep; v is then filled in part.
func Default(n *graph.Node, v reflect.Value) (reflect.Value, diag.Findings) {
	p := rootPlace(n, v.Type().Elem())
	d := structDefaulter{}
	if p.unfit != nil {
		return v, diag.Newf(diag.BadSchema, "%v", p.unfit)
	}
	if v.IsNil() {
		if n.Default == nil {
			return v, nil
		}
		v = reflect.New(v.Type().Elem())
	}
	d.place(p, v.Elem())
	return v, d.Wrong
}

// structDefaulter is a walk that fills defaults into Go data.
type structDefaulter struct{ engine.Filling }

// place fills a place, which can be set, and says whether it was written to.
func (d *structDefaulter) place(p *goPlace, v reflect.Value) bool {
	taken := p.def != nil && v.IsZero()
	if taken && !d.take(p, v) {
		return false
	}
	changed := p.below != nil && d.below(p.below, v)
	if taken {
		d.End()
	}
	return taken || changed
}

func (d *structDefaulter) take(p *goPlace, v reflect.Value) bool {
	if p.unfit != nil {
		d.Fail("%v", p.unfit)
	} else if d.Begin(p.def, p.size) {
		made, err := p.made()
		if err == nil {
			v.Set(made)
			return true
		}
		d.Fail("%v", err)
	}
	return false
}

// below fills what is below a value, and says whether the value itself was
// written to: what a pointer points to is not part of it.
func (d *structDefaulter) below(p *defaultPlan, v reflect.Value) bool {
	if !d.Enter() {
		return false
	}
	defer d.Leave()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			d.place(p.elem, v.Elem())
		}
		return false
	case reflect.Struct:
		return d.fields(p, v)
	case reflect.Slice, reflect.Array:
		changed := false
		for i := range v.Len() {
			changed = d.place(p.elem, v.Index(i)) || changed
			if d.Wrong != nil {
				d.Wrong.Prefix(fieldpath.IndexElement(i).String())
				return changed
			}
		}
		return changed && v.Kind() == reflect.Array
	case reflect.Map:
		if !v.IsNil() {
			d.entries(p, v)
		}
		return false
	case reflect.Interface:
		return !v.IsNil() && d.held(p, v)
	}
	return false
}

func (d *structDefaulter) fields(p *defaultPlan, v reflect.Value) bool {
	changed := false
	for i := range p.fields {
		f := &p.fields[i]
		at := f.entry.GetFrom(v)
		if !at.CanSet() {
			// It is behind an embedded pointer that is nil, as if the struct that it
			// points to were zero, which is made if a field takes a default.
			made := reflect.New(f.typ).Elem()
			if !d.place(&f.goPlace, made) {
				continue
			}
			if at = f.entry.MakeIn(v); at.CanSet() {
				at.Set(made)
			}
			changed = true
		} else {
			changed = d.place(&f.goPlace, at) || changed
		}
		if d.Wrong != nil {
			d.Wrong.Prefix("." + f.entry.JsonName)
			break
		}
	}
	return changed
}

// entries fills the values of a map. They cannot be written to where they are.
func (d *structDefaulter) entries(p *defaultPlan, v reflect.Value) {
	slot := reflect.New(v.Type().Elem()).Elem()
	fill := func(key reflect.Value, at *goPlace) {
		changed := d.place(at, slot)
		switch {
		case d.Wrong != nil:
			d.Wrong.Prefix(fieldpath.FieldNameElement(key.String()).String())
		case isNull(slot) && !data.TakesNull(at.node):
			v.SetMapIndex(key, reflect.Value{})
		case changed:
			v.SetMapIndex(key, slot)
		}
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		at := p.elem
		if i := slices.IndexFunc(p.named, func(f namedPlace) bool { return f.name == key.String() }); i >= 0 {
			at = &p.named[i].goPlace
		} else if !p.open {
			continue
		}
		slot.Set(v.MapIndex(key))
		if fill(key, at); d.Wrong != nil {
			return
		}
	}
	for i := range p.named {
		f := &p.named[i]
		key := reflect.ValueOf(f.name).Convert(v.Type().Key())
		if f.def == nil || v.MapIndex(key).IsValid() {
			continue
		}
		slot.SetZero()
		if fill(key, &f.goPlace); d.Wrong != nil {
			return
		}
	}
}

// isNull says whether v can only be a null: a nil slice or map may be empty, too.
func isNull(v reflect.Value) bool { return nullKind(v.Kind()) && v.IsNil() }

func nullKind(k reflect.Kind) bool { return k == reflect.Pointer || k == reflect.Interface }

// held fills what an interface holds: plain data, or a pointer to a Go value.
func (d *structDefaulter) held(p *defaultPlan, v reflect.Value) bool {
	held := v.Elem()
	if held.Kind() == reflect.Pointer {
		if at := rootPlace(p.node, held.Type().Elem()); !held.IsNil() && at.below != nil {
			d.below(at.below, held.Elem())
		}
		return false
	}
	plain := held.Interface()
	switch plain.(type) {
	case map[string]any, []any, map[any]any:
	default:
		return false
	}
	out, changed := d.Plain(p.node, plain)
	if d.Wrong != nil {
		return false
	}
	if changed {
		v.Set(reflect.ValueOf(out))
	}
	return changed
}

// goPlace is where a Go value stands: a field, an item or a value of a map. It has
// the default that the value takes, in Go's form, and what to do below it.
type goPlace struct {
	typ  reflect.Type
	node *graph.Node
	// def is where the schema has the default, nil if there is none, or if it is
	// what a zero value is already.
	def *any
	// size is how many values the default is.
	size int
	// proto is the default as a Go value, and text as JSON.
	proto reflect.Value
	text  []byte
	// unfit says why the default is no value of the type.
	unfit error
	// below is nil if there is nothing to do below.
	below *defaultPlan
}

// defaultPlan is what to do below a value of a Go type.
type defaultPlan struct {
	node *graph.Node
	// elem is what pointers point to, items of slices and values of maps.
	elem *goPlace
	// fields are those of a struct that need a look.
	fields []defaultField
	// named are the declared fields of a map; others count only if it is open.
	named []namedPlace
	open  bool
}

type defaultField struct {
	goPlace
	entry *value.FieldCacheEntry
}

type namedPlace struct {
	goPlace
	name string
}

// rootPlace returns the place of what a pointer points to, a value of type t
// that is read as n.
func rootPlace(n *graph.Node, t reflect.Type) *goPlace {
	// The plan for t itself is the one for validation.
	return n.Plans.For(reflect.PointerTo(t), func() any {
		pl := defaultPlanner{}
		var none any
		p := pl.place(t, n, &none)
		if converts(t) {
			p.unfit = fmt.Errorf("want plain data, or a pointer to a Go value that does not convert itself, found %v", reflect.PointerTo(t))
		}
		return &p
	}).(*goPlace)
}

// defaultPlanner knows the plans that are made or in the making.
type defaultPlanner map[defaultSite]*defaultPlan

type defaultSite struct {
	typ  reflect.Type
	node *graph.Node
}

func (pl defaultPlanner) place(t reflect.Type, n *graph.Node, def *any) goPlace {
	p := goPlace{typ: t, node: n, below: pl.below(t, n)}
	if def = data.NearestDefault(n, def); def == nil {
		return p
	}
	p.def, p.size = def, data.CountValues(*def)
	p.fit()
	if p.unfit == nil && t.Kind() != reflect.Interface && p.proto.IsZero() {
		p.def = nil
	}
	return p
}

// below returns the plan for what is below a value, nil if there is nothing to
// do.
func (pl defaultPlanner) below(t reflect.Type, n *graph.Node) *defaultPlan {
	if n.Missing || !n.Defaults && !holdsNil(t, nil) || converts(t) {
		return nil
	}
	s := defaultSite{t, n}
	if p, ok := pl[s]; ok {
		return p
	}
	p := &defaultPlan{node: n}
	pl[s] = p
	elem := func(n *graph.Node, def *any) bool {
		e := pl.place(t.Elem(), n, def)
		p.elem = &e
		return e.def != nil || e.below != nil
	}
	work := false
	switch t.Kind() {
	case reflect.Pointer:
		// What is zero there was set.
		p.elem = &goPlace{typ: t.Elem(), node: n, below: pl.below(t.Elem(), n)}
		work = p.elem.below != nil
	case reflect.Slice, reflect.Array:
		if n.List != nil && t.Elem().Kind() != reflect.Uint8 {
			work = elem(n.List.Item, &n.List.ItemDefault)
		}
	case reflect.Map:
		if m := n.Map; m != nil && t.Key().Kind() == reflect.String {
			p.open = m.Open
			work = elem(m.Elem, &m.ElemDefault) || nullKind(t.Elem().Kind())
			for i := range m.Fields {
				f := &m.Fields[i]
				p.named = append(p.named, namedPlace{pl.place(t.Elem(), f.Type, &f.Default), f.Name})
			}
			work = work || len(p.named) > 0
		}
	case reflect.Struct:
		if n.Map != nil {
			pl.fields(p, t)
			work = len(p.fields) > 0
		}
	case reflect.Interface:
		work = true
	}
	if !work {
		pl[s] = nil
		return nil
	}
	return p
}

func (pl defaultPlanner) fields(p *defaultPlan, t reflect.Type) {
	m, probe := p.node.Map, reflect.New(t).Elem()
	for _, entry := range value.TypeReflectEntryOf(t).OrderedFields() {
		t := entry.GetFrom(probe).Type()
		var f defaultField
		if declared := m.Field(entry.JsonName); declared != nil {
			f = defaultField{pl.place(t, declared.Type, &declared.Default), entry}
		} else {
			// What is not declared has a default for null only, and may be absent.
			f = defaultField{goPlace{typ: t, node: m.Elem, below: pl.below(t, m.Elem)}, entry}
		}
		if f.def != nil || f.below != nil {
			p.fields = append(p.fields, f)
		}
	}
}

// fit makes the default a Go value.
func (p *goPlace) fit() {
	if p.typ.Kind() == reflect.Interface && p.typ.NumMethod() == 0 {
		return
	}
	var err error
	if p.text, err = json.Marshal(data.PlainCopy(*p.def)); err == nil {
		p.proto, err = p.decoded()
	}
	if err != nil {
		p.unfit = fmt.Errorf("the default %s does not fit the Go type %v: %v", p.text, p.typ, err)
	}
}

func (p *goPlace) decoded() (reflect.Value, error) {
	v := reflect.New(p.typ)
	d := json.NewDecoder(bytes.NewReader(p.text))
	d.DisallowUnknownFields()
	err := d.Decode(v.Interface())
	return v.Elem(), err
}

// made returns the default, with nothing in it that others have: most defaults are
// scalars or lead to one, and all else is decoded each time.
func (p *goPlace) made() (reflect.Value, error) {
	k := p.typ.Kind()
	switch {
	case k == reflect.Interface && p.text == nil:
		return reflect.ValueOf(data.PlainCopy(*p.def)), nil
	case isScalar(k):
		return p.proto, nil
	case k == reflect.Pointer && isScalar(p.typ.Elem().Kind()) && !p.proto.IsNil():
		v := reflect.New(p.typ.Elem())
		v.Elem().Set(p.proto.Elem())
		return v.Convert(p.typ), nil
	}
	return p.decoded()
}

func isScalar(k reflect.Kind) bool { return k <= reflect.Float64 || k == reflect.String }

// converts says whether values of type t, or pointers to them, convert themselves.
func converts(t reflect.Type) bool {
	return t.Kind() != reflect.Interface && value.TypeReflectEntryOf(t).CanConvertToUnstructured()
}

// holdsNil says whether a value of type t may hold a map with nil pointers in it. seen
// are the types that are being looked at.
func holdsNil(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	if seen == nil {
		seen = map[reflect.Type]bool{}
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Map:
		return nullKind(t.Elem().Kind()) || holdsNil(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return holdsNil(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsNil(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
