// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"

	"github.com/dovetail-ssa/dovetail/value"
)

// copyable says whether copyGo can copy all of v: there are no references in
// fields that are not exported.
func copyable(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || copyable(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !copyable(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for iter := v.MapRange(); iter.Next(); {
			if !copyable(iter.Value()) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !v.Type().Field(i).IsExported() && refers(f) || !copyable(f) {
				return false
			}
		}
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return v.IsNil()
	}
	return true
}

// refers says whether v has references to what can be written to.
func refers(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if refers(v.Field(i)) {
				return true
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if refers(v.Index(i)) {
				return true
			}
		}
	}
	return nilable(v.Kind()) && !v.IsNil()
}

// copyGo returns a copy of v, which is copyable, that shares nothing with it.
func copyGo(v reflect.Value) reflect.Value {
	if nilable(v.Kind()) && v.IsNil() {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(copyGo(v.Elem()))
	case reflect.Interface:
		out.Set(copyGo(v.Elem()))
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(copyGo(v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for iter := v.MapRange(); iter.Next(); {
			out.SetMapIndex(iter.Key(), copyGo(iter.Value()))
		}
	case reflect.Struct:
		out.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(copyGo(v.Field(i)))
			}
		}
	default:
		return v
	}
	return out
}

func nilable(k reflect.Kind) bool {
	switch k {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	}
	return false
}

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
