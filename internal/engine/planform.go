// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/dovetail-ssa/dovetail/value"
)

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
	case !s.addressable && t.Kind() != reflect.Slice && nilable(t.Kind()):
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
