// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// DefaultStruct fills defaults into what v, a pointer, points to, and returns v,
// or a new pointer if v is nil and n has a default. It is Default for Go values,
// where absent, null and zero are one: what is zero takes its default, if there
// is one, and pointers, slices, maps and interfaces only when they are nil.
// Values of a map that are nil pointers without a default go where null is no
// value; nil slices stay, since Go does not tell them from empty ones. What
// converts itself takes a default as JSON, and is not looked into.
//
// It fails for defaults that do not fit the Go type, where they are needed, for
// defaults without end and for data nested too deep; v is then filled in part.
func DefaultStruct(n *graph.Node, v reflect.Value) (reflect.Value, diag.Findings) {
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
type structDefaulter struct{ Filling }

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
		case isNull(slot) && !takesNull(at.node):
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
