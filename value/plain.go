// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/internal/scratch"
)

// NewValueInterface wraps plain Go data, as returned by JSON and YAML decoders: nil, bool, string,
// all signed integer types, uint, uint8, uint16, uint32, float32, float64, []interface{},
// map[string]interface{} and map[interface{}]interface{}. Data of any other type, at any depth, is
// an undefined value. The data is not copied.
func NewValueInterface(v interface{}) Value {
	return &valueUnstructured{Value: v}
}

// valueUnstructured and its field must keep their names, because some error messages print a
// value as &value.valueUnstructured{Value:1}.
type valueUnstructured struct {
	Value interface{}
}

func (v *valueUnstructured) is(k kind) bool { return kindOfUnstructured(v.Value) == k }
func (v *valueUnstructured) IsMap() bool    { return v.is(mapKind) }
func (v *valueUnstructured) IsList() bool   { return v.is(listKind) }
func (v *valueUnstructured) IsBool() bool   { return v.is(boolKind) }
func (v *valueUnstructured) IsInt() bool    { return v.is(intKind) }
func (v *valueUnstructured) IsFloat() bool  { return v.is(floatKind) }
func (v *valueUnstructured) IsString() bool { return v.is(stringKind) }
func (v *valueUnstructured) IsNull() bool   { return v.Value == nil }

func (v *valueUnstructured) AsMap() Map {
	switch m := v.Value.(type) {
	case map[string]interface{}:
		return plainMap[string](m)
	case map[interface{}]interface{}:
		return plainMap[any](m)
	case nil:
		panic("invalid nil")
	}
	panic(fmt.Errorf("not a map: %#v", *v))
}

func (v *valueUnstructured) AsList() List {
	return sliceList(v.Value.([]interface{}))
}

func (v *valueUnstructured) AsBool() bool { return v.Value.(bool) }

func (v *valueUnstructured) AsInt() int64 {
	if n := numberOf(v.Value); n.kind == intKind {
		return n.i
	}
	return v.Value.(int64)
}

func (v *valueUnstructured) AsFloat() float64 {
	if f, ok := v.Value.(float32); ok {
		return float64(f)
	}
	return v.Value.(float64)
}

func (v *valueUnstructured) AsString() string { return v.Value.(string) }

func (v *valueUnstructured) Unstructured() interface{} {
	return v.Value
}

// sliceList is a list of plain data.
type sliceList []interface{}

func (l sliceList) Length() int    { return len(l) }
func (l sliceList) At(i int) Value { return NewValueInterface(l[i]) }

func (l sliceList) Range() ListRange {
	var item valueUnstructured
	return newRange(len(l), func(i int) Value {
		item.Value = l[i]
		return &item
	})
}

func (l sliceList) Equals(other List) bool {
	if o, ok := other.(sliceList); ok {
		return equalLists(l, o)
	}
	return ListEquals(l, other)
}

// plainMap is a map of plain data, decoded from JSON or YAML. Its methods ignore keys
// that are not strings.
type plainMap[K comparable] map[K]any

func (m plainMap[K]) any() anyMap {
	a, _ := anyMapOf(map[K]any(m))
	return a
}

func (m plainMap[K]) Set(key string, val Value) { m[any(key).(K)] = val.Unstructured() }
func (m plainMap[K]) Delete(key string)         { delete(m, any(key).(K)) }
func (m plainMap[K]) Length() int               { return m.any().len() }
func (m plainMap[K]) Empty() bool               { return m.Length() == 0 }

func (m plainMap[K]) Get(key string) (Value, bool) {
	v, ok := m.any().get(key)
	if !ok {
		return nil, false
	}
	return NewValueInterface(v), true
}

func (m plainMap[K]) Has(key string) bool {
	_, ok := m.any().get(key)
	return ok
}

func (m plainMap[K]) Equals(other Map) bool {
	if o, ok := other.(plainMap[K]); ok {
		return EqualUnstructured(map[K]any(m), map[K]any(o))
	}
	return MapEquals(m, other)
}

func (m plainMap[K]) Iterate(fn func(key string, value Value) bool) bool {
	if len(m) == 0 {
		return true
	}
	box := &valueUnstructured{}
	for k, v := range m.any().all {
		box.Value = v
		if !fn(k, box) {
			return false
		}
	}
	return true
}

func (m plainMap[K]) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

// Batch wraps plain data like NewValueInterface, but needs fewer allocations, because it
// allocates values in chunks. The zero Batch is ready for use. Only one goroutine at a time may
// use a Batch. Any number of goroutines may use the values that it returned.
//
// As long as a program refers to one value, the data of its whole chunk (at most 256 values)
// stays in memory. So use one Batch for values with the same lifetime, such as the keys of one
// field set.
type Batch struct {
	values scratch.Slab[valueUnstructured]
}

// Value wraps v like NewValueInterface.
func (b *Batch) Value(v any) Value {
	kept := b.values.One()
	kept.Value = v
	return kept
}
