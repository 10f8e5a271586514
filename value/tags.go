// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"reflect"
	"strings"
)

// jsonTag is what the json tag of a struct field says.
type jsonTag struct {
	name string
	// skip: the field is no part of the serialised form.
	skip bool
	// inline: the fields of the embedded struct take the place of the field.
	inline    bool
	omitEmpty bool
	omitZero  bool
}

// tagOf reads the tag of a field the way encoding/json does. The option
// "inline" means nothing: it is embedding without a name that inlines.
func tagOf(f reflect.StructField) jsonTag {
	if !f.IsExported() && !f.Anonymous {
		return jsonTag{skip: true}
	}
	tag := f.Tag.Get("json")
	if tag == "-" {
		return jsonTag{skip: true}
	}
	name, options, _ := strings.Cut(tag, ",")
	t := jsonTag{name: name, inline: name == "" && f.Anonymous}
	if name == "" {
		t.name = f.Name
	}
	for options != "" {
		var option string
		option, options, _ = strings.Cut(options, ",")
		switch option {
		case "omitempty":
			t.omitEmpty = true
		case "omitzero":
			t.omitZero = true
		}
	}
	return t
}

type isZeroer interface {
	IsZero() bool
}

var isZeroerType = reflect.TypeFor[isZeroer]()

// OmitZeroFunc returns a function that reports whether a value of type t is
// zero for the json option omitzero: what its method IsZero says, on the value
// or on a pointer to it, or else that it is the zero value. Nil pointers and
// interfaces are zero. The function may be called by several goroutines.
func OmitZeroFunc(t reflect.Type) func(reflect.Value) bool {
	switch {
	case !t.Implements(isZeroerType):
		if reflect.PointerTo(t).Implements(isZeroerType) {
			return pointerIsZero
		}
		return reflect.Value.IsZero
	case t.Kind() == reflect.Interface:
		return func(v reflect.Value) bool {
			if isNil(v) || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() {
				return true
			}
			return v.Interface().(isZeroer).IsZero()
		}
	case t.Kind() == reflect.Pointer:
		return func(v reflect.Value) bool {
			return isNil(v) || v.Interface().(isZeroer).IsZero()
		}
	}
	return func(v reflect.Value) bool {
		return v.Interface().(isZeroer).IsZero()
	}
}

// pointerIsZero calls IsZero on a pointer to v, to a copy if it must.
func pointerIsZero(v reflect.Value) bool {
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	return v.Addr().Interface().(isZeroer).IsZero()
}

// isNil is reflect's IsNil, false for what can not be nil.
func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice,
		reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

// isEmpty reports whether the json option omitempty leaves v out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Pointer, reflect.Interface, reflect.UnsafePointer:
		return v.IsNil()
	case reflect.Bool:
		return !v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int() == 0
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return v.Uint() == 0
	case reflect.Float32, reflect.Float64:
		return v.Float() == 0
	case reflect.Chan, reflect.Func:
		if v.IsNil() {
			return true
		}
		panic(unsupported(v.Type()))
	}
	return false
}

func unsupported(t reflect.Type) string {
	return fmt.Sprintf("unsupported type: %v", t)
}
