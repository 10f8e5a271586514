// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "fmt"

// NewValueInterface wraps plain Go data, as decoders of JSON and YAML make it:
// nil, bool, string, any int, uint8 to uint32, uint, float32, float64,
// []interface{}, map[string]interface{} and map[interface{}]interface{}.
// Anything else, at any depth, is undefined. The data is not copied.
func NewValueInterface(v interface{}) Value {
	return &valueUnstructured{Value: v}
}

// valueUnstructured is known by its name and field to users: messages print it
// as &value.valueUnstructured{Value:1}.
type valueUnstructured struct {
	Value interface{}
}

func (v *valueUnstructured) IsMap() bool {
	switch v.Value.(type) {
	case map[string]interface{}, map[interface{}]interface{}:
		return true
	}
	return false
}

func (v *valueUnstructured) IsList() bool {
	_, ok := v.Value.([]interface{})
	return ok
}

func (v *valueUnstructured) IsBool() bool {
	_, ok := v.Value.(bool)
	return ok
}

func (v *valueUnstructured) IsInt() bool {
	return numberOf(v.Value).kind == intKind
}

func (v *valueUnstructured) IsFloat() bool {
	switch v.Value.(type) {
	case float64, float32:
		return true
	}
	return false
}

func (v *valueUnstructured) IsString() bool {
	_, ok := v.Value.(string)
	return ok
}

func (v *valueUnstructured) IsNull() bool {
	return v.Value == nil
}

func (v *valueUnstructured) AsMap() Map {
	switch m := v.Value.(type) {
	case map[string]interface{}:
		return stringMap(m)
	case map[interface{}]interface{}:
		return interfaceMap(m)
	case nil:
		panic("invalid nil")
	}
	panic(fmt.Errorf("not a map: %#v", *v))
}

func (v *valueUnstructured) AsMapUsing(Allocator) Map {
	return v.AsMap()
}

func (v *valueUnstructured) AsList() List {
	return sliceList(v.Value.([]interface{}))
}

func (v *valueUnstructured) AsListUsing(Allocator) List {
	return v.AsList()
}

func (v *valueUnstructured) AsBool() bool {
	return v.Value.(bool)
}

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

func (v *valueUnstructured) AsString() string {
	return v.Value.(string)
}

func (v *valueUnstructured) Unstructured() interface{} {
	return v.Value
}

// sliceList is a list of plain data.
type sliceList []interface{}

func (l sliceList) Length() int {
	return len(l)
}

func (l sliceList) At(i int) Value {
	return NewValueInterface(l[i])
}

func (l sliceList) AtUsing(_ Allocator, i int) Value {
	return l.At(i)
}

func (l sliceList) Range() ListRange {
	if len(l) == 0 {
		return EmptyRange
	}
	return &sliceRange{list: l, i: -1}
}

func (l sliceList) RangeUsing(Allocator) ListRange {
	return l.Range()
}

func (l sliceList) Equals(other List) bool {
	if o, ok := other.(sliceList); ok {
		return equalLists(l, o, 0)
	}
	return ListEquals(l, other)
}

func (l sliceList) EqualsUsing(_ Allocator, other List) bool {
	return l.Equals(other)
}

// sliceRange hands out one value, over and over.
type sliceRange struct {
	list sliceList
	item valueUnstructured
	i    int
}

func (r *sliceRange) Next() bool {
	r.i++
	return r.i < len(r.list)
}

func (r *sliceRange) Item() (index int, value Value) {
	if r.i < 0 {
		panic(itemBeforeNext)
	}
	if r.i >= len(r.list) {
		panic(itemPastEnd)
	}
	r.item.Value = r.list[r.i]
	return r.i, &r.item
}
