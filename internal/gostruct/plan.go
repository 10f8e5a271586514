// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// plan says what there is to check of the values of a Go type at one place of
// a schema. Most of a type that was written for its schema can hold nothing
// that is wrong: a string is a string. What is left are lists whose items need
// an identity, values that convert themselves and interfaces.
type plan struct {
	check check
	typ   reflect.Type
	node  *graph.Node
	// elem is what pointers, lists and maps hold.
	elem *plan
	// size is that of an item of a list.
	size uintptr
	// fields are those of a struct that need a look.
	fields []planField
	// keys identify the items of a list; a set has one, the item itself.
	keys []goKey
	// keyed says that no item can lack a key.
	keyed bool
	// form is how values convert themselves.
	form form
}

// check is what to do with a value.
type check uint8

const (
	nothing     check = iota // it is valid
	unprovable               // it may be wrong or is unusual: lower it and see
	followed                 // a pointer, or an interface that is nil or unprovable
	fieldwise                // a struct
	itemwise                 // a list of items that cannot be wrong as a list
	identifying              // a list of items that need an identity
	entrywise                // a map
	converting               // it converts itself
	holding                  // an interface
)

// planField is a field of a struct.
type planField struct {
	*plan
	of     reflect.Type
	offset uintptr
	entry  *value.FieldCacheEntry
	// mayOmit says that the field has to be asked whether it is left out.
	mayOmit bool
}

var isZeroer = reflect.TypeFor[interface{ IsZero() bool }]()

// planFor returns the plan for structs of type t that are read as n, whatever
// methods t has.
func planFor(n *graph.Node, t reflect.Type) *plan {
	return n.Plans.For(t, func() any {
		return planner{}.plan(site{t, n, true, true})
	}).(*plan)
}

// site is where a plan is for.
type site struct {
	typ  reflect.Type
	node *graph.Node
	// addressable is false within what a map holds, up to the next pointer or
	// slice: methods of pointers do not count there.
	addressable bool
	// bare is true for what a pointer holds: its own methods do not count.
	bare bool
}

// planner knows the plans of a type, nil for those in the making.
type planner map[site]*plan

var (
	valid  = &plan{check: nothing}
	unsure = &plan{check: unprovable}
)

func (pl planner) plan(s site) *plan {
	if p, ok := pl[s]; ok {
		return p
	}
	// A type that holds itself cannot be proven: its depth is unknown.
	p := &plan{typ: s.typ, node: s.node, check: unprovable}
	pl[s] = p
	pl.fill(p, s)
	switch p.check {
	case nothing:
		pl[s] = valid
	case unprovable:
		pl[s] = unsure
	}
	return pl[s]
}

func (pl planner) fill(p *plan, s site) {
	t, n := s.typ, s.node
	if n.Missing || n.Kinds() == 0 {
		return
	}
	if !s.bare && value.TypeReflectEntryOf(t).CanConvertToUnstructured() {
		p.convert(s)
		return
	}
	proven := func(ok bool) {
		if ok {
			p.check = nothing
		}
	}
	// container is what to do with a container whose content has a plan.
	container := func(c check, elem *plan) {
		p.elem = elem
		if p.check = c; elem.check == nothing {
			p.check = nothing
		}
	}
	switch t.Kind() {
	case reflect.Struct:
		if n.Map != nil {
			pl.fields(p, s)
		}
	case reflect.Pointer:
		if !s.bare {
			container(followed, pl.plan(site{t.Elem(), n, true, true}))
		}
	case reflect.Interface:
		if !s.bare {
			p.check = holding
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			proven(n.Scalar == graph.String || n.Scalar == graph.Untyped)
			return
		}
		if n.List == nil {
			return
		}
		p.size = t.Elem().Size()
		elem := pl.plan(site{t.Elem(), n.List.Item, true, false})
		switch {
		case n.List.IsAtomic():
			container(itemwise, elem)
		case n.List.IsAssociative():
			p.elem = elem
			if keys, ok := goKeys(n.List, t.Elem()); ok {
				p.check, p.keys, p.keyed = identifying, keys, true
				for i := range keys {
					p.keyed = p.keyed && keys[i].always()
				}
			}
		}
	case reflect.Map:
		if m := n.Map; m != nil && m.Open && len(m.Fields) == 0 && t.Key().Kind() == reflect.String {
			container(entrywise, pl.plan(site{t.Elem(), m.Elem, false, false}))
		}
	case reflect.String:
		proven(n.Scalar == graph.String || n.Scalar == graph.Untyped)
	case reflect.Bool:
		proven(n.Scalar == graph.Boolean || n.Scalar == graph.Untyped)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Float32, reflect.Float64:
		proven(n.Scalar == graph.Numeric || n.Scalar == graph.Untyped)
	}
}

// fields plans for a struct. Fields that are always valid are left out, so that
// a struct of nothing else is valid.
func (pl planner) fields(p *plan, s site) {
	probe := reflect.New(s.typ).Elem()
	for _, f := range value.TypeReflectEntryOf(s.typ).OrderedFields() {
		v := f.GetFrom(probe)
		if !v.CanAddr() || !v.CanInterface() {
			return // behind an embedded pointer, or not for others to read
		}
		var fp *plan
		if declared := s.node.Map.Field(f.JsonName); declared != nil {
			fp = pl.plan(site{v.Type(), declared.Type, s.addressable, false})
		} else if s.node.Map.Open {
			fp = pl.plan(site{v.Type(), s.node.Map.Elem, s.addressable, false})
		} else {
			fp = unsure
		}
		offset := v.UnsafeAddr() - probe.UnsafeAddr()
		asked := hasIsZero(v.Type()) && omitsZero(s.typ, v.Type(), offset)
		if fp.check == nothing && !asked {
			continue
		}
		switch fp.check {
		case followed, entrywise, itemwise, identifying:
			// These look at nothing where omitempty leaves them out.
		case converting:
			asked = asked || !fp.form.held && f.CanOmit(v)
		default:
			asked = asked || f.CanOmit(v) || fp.check == unprovable
		}
		p.fields = append(p.fields, planField{fp, v.Type(), offset, f, asked})
	}
	if p.check = fieldwise; len(p.fields) == 0 {
		p.check = nothing
	}
}

func hasIsZero(t reflect.Type) bool {
	return t.Implements(isZeroer) || reflect.PointerTo(t).Implements(isZeroer)
}

// omitsZero says whether a field may have the json option omitzero.
func omitsZero(t, field reflect.Type, offset uintptr) bool {
	for i := range t.NumField() {
		if f := t.Field(i); f.Offset == offset && f.Type == field {
			return strings.Contains(f.Tag.Get("json"), "omitzero")
		}
	}
	return true // of an embedded struct
}

// form is how a value converts itself.
type form struct {
	// typ is the type of the value, or of what it points to; a pointer to that has
	// the method.
	typ reflect.Type
	by  conversion
	// intOrString says that what is at the place tells, without being asked.
	intOrString bool
	// held says that a pointer is at the place.
	held bool
}

// conversion is a method by which a value converts itself.
type conversion uint8

const (
	byJSON conversion = iota
	plainly
	withError
)

// nilKinds are the kinds of nil values, other than pointers, interfaces and slices.
var nilKinds = []reflect.Kind{reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer}

// convert plans for a type that converts itself, in the order of preference
// that package value has. Where the value has no address, its own methods count and
// not those of a pointer to it; that pointer has them, too.
func (p *plan) convert(s site) {
	t := s.typ
	p.form.typ = t
	holder := reflect.New(t) // a pointer to the value, or the value
	switch {
	case t.Kind() == reflect.Interface:
		p.check, p.elem = followed, unsure
		return
	case t.Kind() == reflect.Pointer:
		p.form.typ, p.form.held = t.Elem(), true
		holder = reflect.New(t.Elem())
	case !s.addressable && slices.Contains(nilKinds, t.Kind()):
		return
	case !s.addressable:
		holder = holder.Elem()
	}
	p.form.intOrString = isIntOrString(p.form.typ)
	holding := holder.Interface()
	switch holding.(type) {
	case value.UnstructuredConverterWithError:
		p.check, p.form.by = converting, withError
	case value.UnstructuredConverter:
		p.form.by = plainly
		if p.check = converting; isText(holding) && scalarFits(p.node, "") {
			p.check = nothing
		}
	case json.Marshaler:
		p.check = converting
	}
}

// isText says whether a type declares that its serialised form is a string, by
// the method from which schemas of it are generated. Conversion by
// ToUnstructured has no error, so then there is nothing to check.
func isText(v any) bool {
	d, ok := v.(interface{ OpenAPISchemaType() []string })
	if !ok {
		return false
	}
	types := d.OpenAPISchemaType()
	return len(types) == 1 && types[0] == "string"
}

// intOrString is the IntOrString of k8s.io/apimachinery/pkg/util/intstr in memory.
// Its MarshalJSON makes a number if Type is 0, a string if it is 1, and fails
// otherwise.
type intOrString struct {
	Type   int64
	IntVal int32
	StrVal string
}

// isIntOrString says whether t is that type, which the engine must not import.
func isIntOrString(t reflect.Type) bool {
	known := reflect.TypeFor[intOrString]()
	if t.Name() != "IntOrString" || !strings.HasSuffix(t.PkgPath(), "k8s.io/apimachinery/pkg/util/intstr") ||
		t.Kind() != reflect.Struct || t.NumField() != known.NumField() {
		return false
	}
	for i := range t.NumField() {
		if f, want := t.Field(i), known.Field(i); f.Name != want.Name || f.Type.Kind() != want.Type.Kind() {
			return false
		}
	}
	return true
}
