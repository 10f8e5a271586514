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

// Default fills in the defaults of n in the value that the pointer v points to, and returns v.
// If v is nil and n has a default, Default returns a new pointer.
//
// A Go value does not distinguish absent, null and zero. So Default sets every zero value that
// has a default. A pointer, slice, map or interface is zero only if it is nil.
//
// Default removes a map entry whose value is a nil pointer or a nil interface, if the value has no
// default and its schema type does not allow null. Default keeps nil slices, because Go treats
// them like empty slices.
//
// If a Go type has a conversion method, Default decodes the default from JSON, and does not
// fill in defaults inside the value.
//
// Default returns an error if a default does not fit the Go type, if a default contains itself,
// or if the data is nested too deep. v may then already have some of its defaults.
func Default(n *graph.Node, v reflect.Value) (reflect.Value, diag.Findings) {
	p := rootPlace(n, v.Type().Elem())
	d := structDefaulter{}
	if p.misfit != nil {
		return v, diag.Newf(diag.BadSchema, "%v", p.misfit)
	}
	if v.IsNil() {
		if n.Default == nil {
			return v, nil
		}
		v = reflect.New(v.Type().Elem())
	}
	d.fill(p, v.Elem())
	return v, d.Findings
}

// structDefaulter fills in defaults in Go values.
type structDefaulter struct{ engine.DefaultingState }

// fill sets v to its default if necessary, and fills in the defaults of the values inside v. v
// must be settable. fill reports whether it changed v itself.
func (d *structDefaulter) fill(p *goPlace, v reflect.Value) bool {
	defaulted := p.def != nil && v.IsZero()
	if defaulted && !d.setDefault(p, v) {
		return false
	}
	changed := p.below != nil && d.fillInside(p.below, v)
	if defaulted {
		d.EndDefault()
	}
	return defaulted || changed
}

// setDefault sets v to its default. It returns false if there is an error.
func (d *structDefaulter) setDefault(p *goPlace, v reflect.Value) bool {
	if p.misfit != nil {
		d.Fail("%v", p.misfit)
	} else if d.BeginDefault(p.def, p.size) {
		def, err := p.newDefault()
		if err == nil {
			v.Set(def)
			return true
		}
		d.Fail("%v", err)
	}
	return false
}

// fillInside fills in the defaults of the values inside v. It reports whether it changed v
// itself. A change behind a pointer does not count as a change of v.
func (d *structDefaulter) fillInside(p *defaultPlan, v reflect.Value) bool {
	if !d.EnterLevel() {
		return false
	}
	defer d.LeaveLevel()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			d.fill(p.elem, v.Elem())
		}
		return false
	case reflect.Struct:
		return d.fields(p, v)
	case reflect.Slice, reflect.Array:
		changed := false
		for i := range v.Len() {
			changed = d.fill(p.elem, v.Index(i)) || changed
			if d.Findings != nil {
				d.Findings.Prefix(fieldpath.IndexElement(i).String())
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
		return !v.IsNil() && d.interfaceContent(p, v)
	}
	return false
}

func (d *structDefaulter) fields(p *defaultPlan, v reflect.Value) bool {
	changed := false
	for i := range p.fields {
		f := &p.fields[i]
		at := f.entry.GetFrom(v)
		if !at.CanSet() {
			// The field belongs to an embedded struct whose pointer is nil. Treat the struct as
			// zero, and allocate it only if one of its fields gets a default.
			made := reflect.New(f.typ).Elem()
			if !d.fill(&f.goPlace, made) {
				continue
			}
			if at = f.entry.MakeIn(v); at.CanSet() {
				at.Set(made)
			}
			changed = true
		} else {
			changed = d.fill(&f.goPlace, at) || changed
		}
		if d.Findings != nil {
			d.Findings.Prefix("." + f.entry.JsonName)
			break
		}
	}
	return changed
}

// entries fills in defaults in the values of a map. It copies each value, because map values
// are not addressable.
func (d *structDefaulter) entries(p *defaultPlan, v reflect.Value) {
	slot := reflect.New(v.Type().Elem()).Elem()
	fill := func(key reflect.Value, at *goPlace) {
		changed := d.fill(at, slot)
		switch {
		case d.Findings != nil:
			d.Findings.Prefix(fieldpath.FieldNameElement(key.String()).String())
		case isNull(slot) && !at.node.KeepsNull():
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
		if fill(key, at); d.Findings != nil {
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
		if fill(key, &f.goPlace); d.Findings != nil {
			return
		}
	}
}

// isNull reports whether v is a nil pointer or a nil interface, which stands for null. It
// returns false for a nil slice or map, which can also stand for an empty one.
func isNull(v reflect.Value) bool { return nullKind(v.Kind()) && v.IsNil() }

func nullKind(k reflect.Kind) bool { return k == reflect.Pointer || k == reflect.Interface }

// interfaceContent fills in defaults in the content of an interface, which is plain data or a
// pointer to a Go value. It reports whether it changed v itself.
func (d *structDefaulter) interfaceContent(p *defaultPlan, v reflect.Value) bool {
	content := v.Elem()
	if content.Kind() == reflect.Pointer {
		if at := rootPlace(p.node, content.Type().Elem()); !content.IsNil() && at.below != nil {
			d.fillInside(at.below, content.Elem())
		}
		return false
	}
	plain := content.Interface()
	switch plain.(type) {
	case map[string]any, []any, map[any]any:
	default:
		return false
	}
	out, changed := d.FillPlain(p.node, plain)
	if d.Findings != nil {
		return false
	}
	if changed {
		v.Set(reflect.ValueOf(out))
	}
	return changed
}

// goPlace describes the defaults of a field, an item or a map value in a Go type.
type goPlace struct {
	typ  reflect.Type
	node *graph.Node
	// def points to the default in the schema. It is nil if there is no default, or if the
	// default equals the zero value.
	def *any
	// size is the number of values in the default. Lists and maps also count.
	size int
	// goDefault is the default as a Go value, and text is its JSON.
	goDefault reflect.Value
	text      []byte
	// misfit explains why the default cannot be converted to the Go type. It is nil if the
	// conversion is possible.
	misfit error
	// below describes the defaults inside the value. It is nil if nothing inside can get a default.
	below *defaultPlan
}

// defaultPlan describes the defaults inside a value of a Go type.
type defaultPlan struct {
	node *graph.Node
	// elem describes the target of a pointer, the items of a slice, or the values of a map.
	elem *goPlace
	// fields has the fields of a struct that have defaults, or that may have defaults inside.
	fields []defaultField
	// named has the declared fields of a map. If open is true, elem describes all other fields.
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

// rootPlace returns the goPlace for a value to which a pointer refers. The value has the Go
// type t and the schema type n.
func rootPlace(n *graph.Node, t reflect.Type) *goPlace {
	// The cache key is the type of a pointer to t, because Validate uses the key t for a plan of
	// its own.
	return n.Plans.For(reflect.PointerTo(t), func() any {
		pl := defaultPlanner{}
		var none any
		p := pl.planPlace(t, n, &none)
		if converts(t) {
			p.misfit = fmt.Errorf("expected plain data, or a pointer to a Go value without a conversion method such as MarshalJSON, got %v", reflect.PointerTo(t))
		}
		return &p
	}).(*goPlace)
}

// defaultPlanner holds all plans created so far, including incomplete ones, because types can be
// recursive.
type defaultPlanner map[defaultSite]*defaultPlan

type defaultSite struct {
	typ  reflect.Type
	node *graph.Node
}

func (pl defaultPlanner) planPlace(t reflect.Type, n *graph.Node, def *any) goPlace {
	p := goPlace{typ: t, node: n, below: pl.planInside(t, n)}
	if def = data.NearestDefault(n, def); def == nil {
		return p
	}
	p.def, p.size = def, data.CountValues(*def)
	p.fit()
	if p.misfit == nil && t.Kind() != reflect.Interface && p.goDefault.IsZero() {
		p.def = nil
	}
	return p
}

// planInside returns the plan for filling in defaults inside a value of type t. It returns nil
// if nothing inside can get a default.
func (pl defaultPlanner) planInside(t reflect.Type, n *graph.Node) *defaultPlan {
	if n.Missing || !n.HasDefaults && !holdsNil(t, nil) || converts(t) {
		return nil
	}
	s := defaultSite{t, n}
	if p, ok := pl[s]; ok {
		return p
	}
	p := &defaultPlan{node: n}
	pl[s] = p
	elem := func(n *graph.Node, def *any) bool {
		e := pl.planPlace(t.Elem(), n, def)
		p.elem = &e
		return e.def != nil || e.below != nil
	}
	work := false
	switch t.Kind() {
	case reflect.Pointer:
		// A pointer to a zero value gets no default, because the program has deliberately set the
		// pointer.
		p.elem = &goPlace{typ: t.Elem(), node: n, below: pl.planInside(t.Elem(), n)}
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
				p.named = append(p.named, namedPlace{pl.planPlace(t.Elem(), f.Type, &f.Default), f.Name})
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
			f = defaultField{pl.planPlace(t, declared.Type, &declared.Default), entry}
		} else {
			// The schema's default for undeclared fields replaces only null. A zero Go field can also
			// mean that the field is absent, so it must not get this default.
			f = defaultField{goPlace{typ: t, node: m.Elem, below: pl.planInside(t, m.Elem)}, entry}
		}
		if f.def != nil || f.below != nil {
			p.fields = append(p.fields, f)
		}
	}
}

// fit converts the default to a Go value. If this is impossible, it sets misfit.
func (p *goPlace) fit() {
	if p.typ.Kind() == reflect.Interface && p.typ.NumMethod() == 0 {
		return
	}
	var err error
	if p.text, err = json.Marshal(data.PlainCopy(*p.def)); err == nil {
		p.goDefault, err = p.decoded()
	}
	if err != nil {
		p.misfit = fmt.Errorf("the default %s does not fit the Go type %v: %v", p.text, p.typ, err)
	}
}

func (p *goPlace) decoded() (reflect.Value, error) {
	v := reflect.New(p.typ)
	d := json.NewDecoder(bytes.NewReader(p.text))
	d.DisallowUnknownFields()
	err := d.Decode(v.Interface())
	return v.Elem(), err
}

// newDefault returns the default as a Go value that shares no memory with earlier results. For
// most types, it decodes the default again. It only copies scalars and pointers to scalars.
func (p *goPlace) newDefault() (reflect.Value, error) {
	k := p.typ.Kind()
	switch {
	case k == reflect.Interface && p.text == nil:
		return reflect.ValueOf(data.PlainCopy(*p.def)), nil
	case isScalar(k):
		return p.goDefault, nil
	case k == reflect.Pointer && isScalar(p.typ.Elem().Kind()) && !p.goDefault.IsNil():
		v := reflect.New(p.typ.Elem())
		v.Elem().Set(p.goDefault.Elem())
		return v.Convert(p.typ), nil
	}
	return p.decoded()
}

func isScalar(k reflect.Kind) bool { return k <= reflect.Float64 || k == reflect.String }

// converts reports whether values of type t, or pointers to them, have conversion methods.
func converts(t reflect.Type) bool {
	return t.Kind() != reflect.Interface && value.TypeReflectEntryOf(t).CanConvertToUnstructured()
}

// holdsNil reports whether a value of type t may contain a map with values that are nil pointers or
// nil interfaces. The argument seen has the types visited so far.
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
