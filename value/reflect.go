// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
)

// NewValueReflect wraps a pointer to a Go value, typically a struct, as its
// serialised form would be seen: fields by their json names, omitempty and
// omitzero, conversion by json.Marshaler and UnstructuredConverter. Changes
// through the returned Value write to what the pointer refers to. Nil is null.
//
// It returns an error for anything else than a pointer, and if the value fails
// to convert itself. Go types without a serialised form (uint64, arrays,
// channels, pointers to pointers), values within that fail to convert
// themselves and nesting deeper than 10,000 levels make the methods of Value
// panic when they come upon them.
func NewValueReflect(value interface{}) (Value, error) {
	if value == nil {
		return NewValueInterface(nil), nil
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Pointer {
		return nil, errors.New("value provided to NewValueReflect must be a pointer")
	}
	r := &valueReflect{}
	if err := r.set(v, infoOf(v.Type()), nil, 0); err != nil {
		return nil, err
	}
	return r, nil
}

// valueReflect is a value found by reflection.
type valueReflect struct {
	// v is what a pointer or an interface holds, rather than that itself.
	v     reflect.Value
	shape shape
	depth int
	// slot is where v is, if that is in a map.
	slot *mapSlot
}

// mapSlot is an entry of a Go map. What is in it is not addressable.
type mapSlot struct {
	m, key reflect.Value
}

// shape is how reflection sees a type. The first ten are the shapes of values;
// their numbers are printed in messages.
type shape int

const (
	mapShape shape = iota
	structShape
	listShape
	intShape
	uintShape
	floatShape
	stringShape
	bytesShape
	boolShape
	nullShape

	pointerShape
	interfaceShape
	otherShape // never a value, unless it is nil
)

func shapeOf(t reflect.Type) shape {
	switch t.Kind() {
	case reflect.Map:
		return mapShape
	case reflect.Struct:
		return structShape
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return bytesShape
		}
		return listShape
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return intShape
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return uintShape
	case reflect.Float32, reflect.Float64:
		return floatShape
	case reflect.String:
		return stringShape
	case reflect.Bool:
		return boolShape
	case reflect.Pointer:
		return pointerShape
	case reflect.Interface:
		return interfaceShape
	}
	return otherShape
}

// set makes r the value v, which is of type t.
func (r *valueReflect) set(v reflect.Value, t *typeInfo, slot *mapSlot, depth int) error {
	if t.methods&convertible != 0 {
		u, _, err := t.convert(v)
		if err != nil {
			return err
		}
		if u == nil {
			*r = valueReflect{v: reflect.Zero(nullType), shape: nullShape, slot: slot, depth: depth}
			return nil
		}
		v = reflect.ValueOf(u)
	}
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Interface) && !v.IsNil() {
		v = v.Elem()
	}
	s := shapeOf(v.Type())
	switch s {
	case mapShape, listShape, bytesShape:
		if v.IsNil() {
			s = nullShape
		}
	case pointerShape, interfaceShape, otherShape:
		if !isNil(v) {
			panic(unsupported(v.Type()))
		}
		s = nullShape
	}
	checkDepth(depth)
	*r = valueReflect{v: v, shape: s, slot: slot, depth: depth}
	return nil
}

// nullType is a type that has a null.
var nullType = reflect.TypeFor[*struct{}]()

// mustSet is set for a value within another one.
func (r *valueReflect) mustSet(v reflect.Value, t *typeInfo, slot *mapSlot, depth int) *valueReflect {
	if err := r.set(v, t, slot, depth); err != nil {
		panic(err)
	}
	return r
}

// Format prints the value as messages about it always did.
func (r *valueReflect) Format(f fmt.State, verb rune) {
	type valueReflect struct {
		ParentMap    *reflect.Value
		ParentMapKey *reflect.Value
		Value        reflect.Value
		kind         int
	}
	p := &valueReflect{Value: r.v, kind: int(r.shape)}
	if r.slot != nil {
		p.ParentMap, p.ParentMapKey = &r.slot.m, &r.slot.key
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), p)
}

// Go returns what the value was found in, for the packages of this module.
func (r *valueReflect) Go() reflect.Value {
	return r.v
}

func (r *valueReflect) IsMap() bool {
	return r.shape == mapShape || r.shape == structShape
}

func (r *valueReflect) IsList() bool {
	return r.shape == listShape
}

func (r *valueReflect) IsBool() bool {
	return r.shape == boolShape
}

func (r *valueReflect) IsInt() bool {
	return r.shape == intShape || r.shape == uintShape
}

func (r *valueReflect) IsFloat() bool {
	return r.shape == floatShape
}

func (r *valueReflect) IsString() bool {
	return r.shape == stringShape || r.shape == bytesShape
}

func (r *valueReflect) IsNull() bool {
	return r.shape == nullShape
}

func (r *valueReflect) AsMap() Map {
	switch r.shape {
	case structShape:
		return &structReflect{*r, infoOf(r.v.Type())}
	case mapShape:
		return &mapReflect{*r, infoOf(r.v.Type()).elem}
	}
	panic("value is not a map or struct")
}

func (r *valueReflect) AsMapUsing(Allocator) Map {
	return r.AsMap()
}

func (r *valueReflect) AsList() List {
	if !r.IsList() {
		panic("value is not a list")
	}
	return &listReflect{r.v, infoOf(r.v.Type()).elem, r.depth}
}

func (r *valueReflect) AsListUsing(Allocator) List {
	return r.AsList()
}

func (r *valueReflect) AsBool() bool {
	if !r.IsBool() {
		panic("value is not a bool")
	}
	return r.v.Bool()
}

func (r *valueReflect) AsInt() int64 {
	switch r.shape {
	case intShape:
		return r.v.Int()
	case uintShape:
		return int64(r.v.Uint())
	}
	panic("value is not an int")
}

func (r *valueReflect) AsFloat() float64 {
	if !r.IsFloat() {
		panic("value is not a float")
	}
	return r.v.Float()
}

func (r *valueReflect) AsString() string {
	switch r.shape {
	case stringShape:
		return r.v.String()
	case bytesShape:
		return base64.StdEncoding.EncodeToString(r.v.Bytes())
	}
	panic("value is not a string")
}

func (r *valueReflect) Unstructured() interface{} {
	if r.shape == nullShape {
		return nil
	}
	return lowered(r.v, infoOf(r.v.Type()), r.depth)
}

// Lowered is Unstructured that tells of each list which slice it is made of. The list,
// even if it is empty, has an address of its own. For the packages of this module.
func (r *valueReflect) Lowered(made func(list []any, from reflect.Value)) any {
	if r.shape == nullShape {
		return nil
	}
	l := lowerer{made: made}
	return l.plain(r.v, infoOf(r.v.Type()), r.depth)
}
