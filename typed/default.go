// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"reflect"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/gostruct"
)

// Default returns the value with the defaults of its type filled in, as in KEP-1929 and in the
// defaulting of custom resources:
//
//   - An absent field gets its own default, or else the default of its type. Default then fills
//     in the fields that this default value omits.
//   - If a type is nullable, null stays. If the type is not nullable, Default replaces null with
//     the default. If there is no default, Default removes a null field or map value, but keeps
//     a null list item.
//   - Empty strings, 0, false, {} and [] stay: they are values, not absent fields.
//
// If the value is a Go struct, Default works on the data that the struct serializes to, so a
// zero field without omitempty is present. To fill in the struct itself, use
// ParseableType.Default.
//
// The result is tv itself if nothing changes, and otherwise shares unchanged parts with tv.
// Default does not validate the result, which can contain a default of the wrong type. Default
// returns ValidationErrors if a default contains itself, if defaults add too many values, or if
// the value is nested too deep.
func (tv *TypedValue) Default() (*TypedValue, error) {
	if findings := tv.operand().CheckDepth(); findings != nil {
		return nil, errorsOf(findings)
	}
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

// Default fills in the defaults of the type in object, and returns object. If object is null,
// Default returns the default of the type. It does the same as TypedValue.Default, but modifies
// its argument. It is for servers, which own the objects they decode. Call it after decoding and
// pruning, after mutation, and for objects read from storage. object must be one of these:
//
//   - Plain data. Default modifies it.
//   - A pointer to a Go struct, which is read by its json tags. Default does not distinguish
//     absent, null and zero in a struct: it sets each zero field that has a default. It sets
//     pointers, slices and maps only if they are nil. It passes the default to UnmarshalJSON if the
//     Go type has that method. Default returns the same pointer, or a new one if the pointer is nil
//     and the type has a default.
//
// Default returns ValidationErrors for a struct that is not behind a pointer, and for a pointer
// to a type with a conversion method such as MarshalJSON. It also returns them if the schema does not
// define the type, if a default contains itself, if defaults add too many values, if the object is
// nested too deep, or if a default does not fit the Go type. After an error, the object may be partly
// filled in.
func (p ParseableType) Default(object any) (any, error) {
	n := compiled.Node(p.Schema, p.TypeRef)
	if n.Missing {
		return nil, errorsOf(data.NoType(n))
	}
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
