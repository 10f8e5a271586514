// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package kind determines the kind of a default in a schema, such as a string or a list, and
// whether a type allows it.
//
// A schema that is written in Go can have defaults of any Go type, so this package uses
// reflection. The values of objects have only the Go types that decoders return. For these,
// operations call data.ClassOf in internal/data, which does not use reflection.
package kind

import (
	"encoding/json"
	"reflect"
)

// Kind is one of the kinds of values that schemas distinguish.
type Kind string

// These are the kinds of values.
const (
	None    Kind = ""
	String  Kind = "string"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	List    Kind = "list"
	Map     Kind = "map"
)

// Of returns the kind of plain data. It returns None for null and for other Go values.
func Of(v any) Kind {
	if _, ok := v.(json.Number); ok {
		return Number
	}
	switch t := reflect.ValueOf(v); t.Kind() {
	case reflect.String:
		return String
	case reflect.Bool:
		return Boolean
	case reflect.Slice:
		if t.Type().Elem().Kind() != reflect.Uint8 {
			return List
		}
	case reflect.Map:
		return Map
	default:
		if t.IsValid() && (t.CanInt() || t.CanUint() || t.CanFloat()) {
			return Number
		}
	}
	return None
}

// Allowed reports whether a type allows the kind of v: string, number, boolean, list or map.
// It does not check the contents of lists and maps.
//
// The other arguments describe the type, which may allow several kinds. scalar is the name of
// the scalar type, or nil if the type allows no scalar. list and mapped report whether the type
// allows lists and maps. A type that allows no kind allows no value. Every other type allows
// null.
func Allowed[S ~string](v any, scalar *S, list, mapped bool) bool {
	k := Of(v)
	switch {
	case k == None:
		return scalar != nil || list || mapped
	case k == List:
		return list
	case k == Map:
		return mapped
	case scalar == nil:
		return false
	}
	switch *scalar {
	case "string":
		return k == String
	case "numeric":
		return k == Number
	case "boolean":
		return k == Boolean
	}
	return true
}
