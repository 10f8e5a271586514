// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/gostruct"
)

// Default returns the value with the defaults of its type filled in, as KEP-1929
// and the defaulting of custom resources have it:
//
//   - A field that is absent takes its default, the nearest: its own, then that
//     of the type it refers to. What was filled in is filled in itself.
//   - Null is no value unless the type is nullable. A field or a value of a map
//     that is null takes its default, or goes if there is none; an item takes
//     its default, or stays.
//   - Empty strings, 0, false, {} and [] are values.
//
// A Go struct is read as the plain data that it serialises to: what is not left
// out is there, though it be zero. ParseableType.Default fills Go structs.
//
// The result is tv itself if nothing changes, and shares with tv what does not
// change. It is not validated: a default that does not fit its type shows then.
// It fails with ValidationErrors if defaults have no end.
func (tv *TypedValue) Default() (*TypedValue, error) {
	n, tree, ok := tv.in().Plain()
	if !ok {
		return tv, nil
	}
	out, changed, found := engine.Default(n, tree, false, tv.in().Known())
	if found != nil {
		return nil, errorsOf(found)
	}
	if !changed {
		return tv, nil
	}
	return of(tv.in().With(out)), nil
}

// Default fills the defaults of the type into object and returns it, or what it
// became if it was null. It is TypedValue.Default for servers, which own what they
// have decoded: call it after decoding and pruning, after mutation, and on what is
// read from storage. object is
//
//   - plain data, which is written to;
//   - a pointer to a Go struct, read by its json tags, where absent, null and
//     zero are one: what is zero takes its default, but pointers, slices and maps
//     only when they are nil. Types that convert themselves take it as JSON. The
//     result is the pointer, or a new one if it was nil and the type has a
//     default of its own.
//
// It fails with ValidationErrors if defaults have no end, if one does not fit the
// Go type, or for other Go values; the object is then filled in part.
func (p ParseableType) Default(object any) (any, error) {
	n := compiled.Node(p.Schema, p.TypeRef)
	if v := reflect.ValueOf(object); v.Kind() == reflect.Pointer {
		out, found := gostruct.Default(n, v)
		if found != nil {
			return nil, errorsOf(found)
		}
		return out.Interface(), nil
	} else if v.Kind() == reflect.Struct {
		return nil, errorf("want plain data or a pointer to a Go struct, found %T", object)
	}
	out, _, found := engine.Default(n, object, true, 0)
	if found != nil {
		return nil, errorsOf(found)
	}
	return out, nil
}
