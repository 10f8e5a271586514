// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

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
	// proto is the default as a Go value, which is copied; where it has parts that
	// cannot be copied, it is made of text each time.
	proto  reflect.Value
	text   []byte
	opaque bool
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
	if def = nearestDefault(n, def); def == nil {
		return p
	}
	p.def, p.size = def, countValues(*def)
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
		p.proto = reflect.ValueOf(plainCopy(*p.def))
		return
	}
	var err error
	if p.text, err = json.Marshal(plainCopy(*p.def)); err == nil {
		p.proto, err = p.decoded()
	}
	if err != nil {
		p.unfit = fmt.Errorf("the default %s does not fit the Go type %v: %v", p.text, p.typ, err)
		return
	}
	p.opaque = !copyable(p.proto)
}

func (p *goPlace) decoded() (reflect.Value, error) {
	v := reflect.New(p.typ)
	d := json.NewDecoder(bytes.NewReader(p.text))
	d.DisallowUnknownFields()
	err := d.Decode(v.Interface())
	return v.Elem(), err
}

// made returns the default, with nothing in it that others have.
func (p *goPlace) made() (reflect.Value, error) {
	if p.opaque {
		return p.decoded()
	}
	return copyGo(p.proto), nil
}
