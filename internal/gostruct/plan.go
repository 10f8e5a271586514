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

// plan lists the checks that are needed to show that a value of a Go type is valid for a schema
// type. Few checks are needed if the Go type was written for its schema. For example, a string
// field always contains a string. Checks remain for lists whose items need an identity, for
// values with conversion methods, and for interfaces.
type plan struct {
	check check
	typ   reflect.Type
	node  *graph.Node
	// elem is the plan for the target of a pointer, the items of a list, or the values of a map.
	elem *plan
	// size is the size of a list item in memory.
	size uintptr
	// fields has those fields of a struct that need a check.
	fields []planField
	// keys has the keys that identify the items of a list. In a set, the only key is the item
	// itself.
	keys []goKey
	// keyed is true if every item is sure to have all keys.
	keyed bool
	// form describes the conversion method of the value, if check is conversionCheck.
	form form
}

// check selects how a value is checked.
type check uint8

const (
	alwaysValid     check = iota // no check is needed
	unprovable                   // cannot be proven valid; the caller must convert the value to plain data
	pointerCheck                 // check a pointer, or an interface that is certainly valid only if it is nil
	structCheck                  // check a struct
	listCheck                    // check a list whose items need no identity
	keyedListCheck               // check a list whose items need an identity
	mapCheck                     // check a map
	conversionCheck              // check a value with a conversion method
	interfaceCheck               // check an interface
)

// planField is a field of a struct, with the plan for its value.
type planField struct {
	*plan
	of     reflect.Type
	offset uintptr
	entry  *value.FieldCacheEntry
	// mayOmit is true if the JSON encoder may omit the field. The validation must then call
	// CanOmit.
	mayOmit bool
}

var isZeroer = reflect.TypeFor[interface{ IsZero() bool }]()

// planFor returns the plan for structs of the Go type t and the schema type n. It ignores
// conversion methods of t itself.
func planFor(n *graph.Node, t reflect.Type) *plan {
	return n.Plans.For(t, func() any {
		return planner{}.plan(site{t, n, true, true})
	}).(*plan)
}

// site identifies a plan. It is the key in the planner's map.
type site struct {
	typ  reflect.Type
	node *graph.Node
	// addressable is false for values of a map, and for everything that is stored directly inside
	// them, without a pointer or a slice in between. Methods with a pointer receiver cannot be
	// called on such values, so conversion methods with a pointer receiver are ignored.
	addressable bool
	// bare is true for the target of a pointer. Conversion methods of the target are not called.
	bare bool
}

// planner holds all plans created so far. A plan may be incomplete while its parts are planned.
type planner map[site]*plan

var (
	valid  = &plan{check: alwaysValid}
	unsure = &plan{check: unprovable}
)

func (pl planner) plan(s site) *plan {
	if p, ok := pl[s]; ok {
		return p
	}
	// The plan of a recursive type refers to this incomplete plan. So values of such a type always
	// count as unprovable, because their depth is unknown.
	p := &plan{typ: s.typ, node: s.node, check: unprovable}
	pl[s] = p
	pl.fill(p, s)
	switch p.check {
	case alwaysValid:
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
			p.check = alwaysValid
		}
	}
	// container sets the check for a pointer, list or map to c, or to alwaysValid if the elements
	// are always valid. elem is the plan for the elements.
	container := func(c check, elem *plan) {
		p.elem = elem
		if p.check = c; elem.check == alwaysValid {
			p.check = alwaysValid
		}
	}
	switch t.Kind() {
	case reflect.Struct:
		if n.Map != nil {
			pl.fields(p, s)
		}
	case reflect.Pointer:
		if !s.bare {
			container(pointerCheck, pl.plan(site{t.Elem(), n, true, true}))
		}
	case reflect.Interface:
		if !s.bare {
			p.check = interfaceCheck
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
			container(listCheck, elem)
		case n.List.IsAssociative():
			p.elem = elem
			if keys, ok := goKeys(n.List, t.Elem()); ok {
				p.check, p.keys, p.keyed = keyedListCheck, keys, true
				for i := range keys {
					p.keyed = p.keyed && keys[i].always()
				}
			}
		}
	case reflect.Map:
		if m := n.Map; m != nil && m.Open && len(m.Fields) == 0 && t.Key().Kind() == reflect.String {
			container(mapCheck, pl.plan(site{t.Elem(), m.Elem, false, false}))
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

// fields creates the plan for a struct. It omits fields that are always valid. If all fields are
// always valid, so is the struct.
func (pl planner) fields(p *plan, s site) {
	probe := reflect.New(s.typ).Elem()
	for _, f := range value.TypeReflectEntryOf(s.typ).OrderedFields() {
		v := f.GetFrom(probe)
		if !v.CanAddr() || !v.CanInterface() {
			return // unexported, or in an embedded struct behind a pointer
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
		if fp.check == alwaysValid && !asked {
			continue
		}
		switch fp.check {
		case pointerCheck, mapCheck, listCheck, keyedListCheck:
			// All values that omitempty omits pass these checks, so mayOmit is not needed.
		case conversionCheck:
			asked = asked || !fp.form.isPointer && f.CanOmit(v)
		default:
			asked = asked || f.CanOmit(v) || fp.check == unprovable
		}
		p.fields = append(p.fields, planField{fp, v.Type(), offset, f, asked})
	}
	if p.check = structCheck; len(p.fields) == 0 {
		p.check = alwaysValid
	}
}

func hasIsZero(t reflect.Type) bool {
	return t.Implements(isZeroer) || reflect.PointerTo(t).Implements(isZeroer)
}

// omitsZero reports whether a field of the struct type t may have the json option omitzero. The
// parameters field and offset identify the field: its type and its offset in the struct.
func omitsZero(t, field reflect.Type, offset uintptr) bool {
	for i := range t.NumField() {
		if f := t.Field(i); f.Offset == offset && f.Type == field {
			return strings.Contains(f.Tag.Get("json"), "omitzero")
		}
	}
	return true // the field is in an embedded struct
}

// form describes how to call the conversion method of a value.
type form struct {
	// typ is the type of the value or, if the value is a pointer, the type of its target. The
	// conversion method is a method of the pointer type *typ.
	typ reflect.Type
	by  conversion
	// intOrString is true for IntOrString, which can be read without calling the method.
	intOrString bool
	// isPointer is true if the value is a pointer to typ.
	isPointer bool
}

// conversion identifies a conversion method.
type conversion uint8

const (
	byJSON    conversion = iota // the method MarshalJSON
	plainly                     // the method ToUnstructured
	withError                   // the method ToUnstructuredWithError
)

// nilKinds lists the kinds of values that can be nil, apart from pointers, interfaces and
// slices.
var nilKinds = []reflect.Kind{reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer}

// convert creates the plan for a type with conversion methods. Like package value, it uses only
// one of the methods. If the value is not addressable, it ignores methods that only the pointer
// type has.
func (p *plan) convert(s site) {
	t := s.typ
	p.form.typ = t
	holder := reflect.New(t) // a pointer to a variable of the value's type
	switch {
	case t.Kind() == reflect.Interface:
		p.check, p.elem = pointerCheck, unsure
		return
	case t.Kind() == reflect.Pointer:
		p.form.typ, p.form.isPointer = t.Elem(), true
		holder = reflect.New(t.Elem())
	case !s.addressable && slices.Contains(nilKinds, t.Kind()):
		return
	case !s.addressable:
		holder = holder.Elem()
	}
	p.form.intOrString = isIntOrString(p.form.typ)
	instance := holder.Interface()
	switch instance.(type) {
	case value.UnstructuredConverterWithError:
		p.check, p.form.by = conversionCheck, withError
	case value.UnstructuredConverter:
		p.form.by = plainly
		if p.check = conversionCheck; isText(instance) && scalarFits(p.node, "") {
			p.check = alwaysValid
		}
	case json.Marshaler:
		p.check = conversionCheck
	}
}

// isText reports whether v is encoded as a string, according to its method OpenAPISchemaType.
// If v also has the method ToUnstructured, which cannot return an error, v needs no check.
func isText(v any) bool {
	d, ok := v.(interface{ OpenAPISchemaType() []string })
	if !ok {
		return false
	}
	types := d.OpenAPISchemaType()
	return len(types) == 1 && types[0] == "string"
}

// intOrString has the memory layout of IntOrString in k8s.io/apimachinery/pkg/util/intstr.
// MarshalJSON of that type returns a number if Type is 0, a string if Type is 1, and an error
// otherwise.
type intOrString struct {
	Type   int64
	IntVal int32
	StrVal string
}

// isIntOrString reports whether t is intstr.IntOrString. It compares names, because this module
// must not import that package.
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
