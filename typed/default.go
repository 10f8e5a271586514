// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/gostruct"
)

// Default returns the value with the defaults of its type filled in, as in KEP-1929 and in the
// defaulting of custom resources:
//
//   - An absent field gets the nearest default: its own, else that of the type it refers to.
//     Defaults are then filled into the default itself.
//   - Null is a value only if the type is nullable. Otherwise a field or map value that is null gets its
//     default, or is removed if there is none. An item that is null gets its default, or stays.
//   - Empty strings, 0, false, {} and [] are values.
//
// A Go struct is read as the data that it serializes to: a zero field without omitempty is
// present. ParseableType.Default fills Go structs.
//
// The result is tv itself if nothing changes, and otherwise shares unchanged parts with tv. It
// is not validated, so a default of the wrong type shows when the result is validated. Default
// returns ValidationErrors if a default contains itself, or if defaults add too many values.
func (tv *TypedValue) Default() (*TypedValue, error) {
	n, tree, ok := tv.operand().Plain()
	if !ok {
		return tv, nil
	}
	out, changed, findings := engine.Default(n, tree, false, tv.operand().Known())
	if findings != nil {
		return nil, errorsOf(findings)
	}
	if !changed {
		return tv, nil
	}
	return typedOf(tv.operand().With(out)), nil
}

// Default fills the defaults of the type into object and returns it. If object is null, it
// returns the default of the type. It is TypedValue.Default for servers, which own the objects
// they decode: call it after decoding and pruning, after mutation, and for objects read from
// storage. object is one of these:
//
//   - Plain data. Default modifies it.
//   - A pointer to a Go struct, which is read by its json tags. Absent, null and zero are the same
//     there: a zero field gets its default, but pointers, slices and maps only if they are nil. Types
//     that convert themselves get it as JSON. Default returns the same pointer, or a new one if the
//     pointer is nil and the type has a default.
//
// It returns ValidationErrors if a default contains itself, if defaults add too many values,
// if one does not fit the Go type, or for any other Go value. The object is then filled in
// only partly.
func (p ParseableType) Default(object any) (any, error) {
	n := compiled.Node(p.Schema, p.TypeRef)
	if v := reflect.ValueOf(object); v.Kind() == reflect.Pointer {
		out, findings := gostruct.Default(n, v)
		if findings != nil {
			return nil, errorsOf(findings)
		}
		return out.Interface(), nil
	} else if v.Kind() == reflect.Struct {
		return nil, errorf("want plain data or a pointer to a Go struct, found %T", object)
	}
	out, _, findings := engine.Default(n, object, true, 0)
	if findings != nil {
		return nil, errorsOf(findings)
	}
	return out, nil
}
