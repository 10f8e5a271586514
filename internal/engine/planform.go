// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/value"
)

// form is how a value converts itself: one of three interfaces, with anything
// of the right type in it, and where the value goes in its place.
type form struct {
	withError value.UnstructuredConverterWithError
	plainly   value.UnstructuredConverter
	byJSON    json.Marshaler
	// intOrString says that what is at the place tells, without being asked.
	intOrString bool
	// held says that the interface holds what is at the place, a pointer;
	// otherwise it holds the place.
	held bool
}

// convert plans for a type that converts itself, in the order of preference
// that package value has. Methods are called through an interface that is made
// by hand, since reflection would copy the value to the heap. Where the value
// has no address, or is no struct, its own methods count and not those of a
// pointer to it; the interface then refers to the value all the same, which
// those methods cannot tell.
func (p *plan) convert(s site) {
	t := s.typ
	p.form.intOrString = isIntOrString(t)
	holder := reflect.New(t) // a pointer to the value, or the value
	switch {
	case t.Kind() == reflect.Interface:
		p.check, p.elem = followed, unsure
		return
	case t.Kind() == reflect.Pointer:
		holder, p.form.held = reflect.New(t.Elem()), true
		p.form.intOrString = isIntOrString(t.Elem())
	case !s.addressable && isPointer(t):
		return // an interface holds the value itself
	case !s.addressable:
		holder = holder.Elem()
	}
	var ok bool
	holding := holder.Interface()
	if p.form.withError, ok = holding.(value.UnstructuredConverterWithError); ok {
		p.check = converting
	} else if p.form.plainly, ok = holding.(value.UnstructuredConverter); ok {
		if p.check = converting; isText(holding) && scalarFits(p.node, "") {
			p.check = nothing
		}
	} else if p.form.byJSON, ok = holding.(json.Marshaler); ok {
		p.check = converting
	}
}

// isPointer says whether a value is a single pointer in memory, whatever it is
// called.
func isPointer(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		return t.Size() == unsafe.Sizeof(uintptr(0)) && slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return isPointer(f.Type) })
	case reflect.Array:
		return t.Len() == 1 && isPointer(t.Elem())
	}
	return false
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
