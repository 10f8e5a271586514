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

func (v *valueUnstructured) IsInt() bool { return numberOf(v.Value).kind == intKind }

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

func (v *valueUnstructured) IsNull() bool { return v.Value == nil }

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
	if len(l) == 0 {
		return EmptyRange
	}
	return &sliceRange{list: l, i: -1}
}

func (l sliceList) Equals(other List) bool {
	if o, ok := other.(sliceList); ok {
		return equalLists(l, o)
	}
	return ListEquals(l, other)
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

// stringMap is a map of plain data.
type stringMap map[string]interface{}

func (m stringMap) Set(key string, val Value) { m[key] = val.Unstructured() }

func (m stringMap) Get(key string) (Value, bool) {
	v, ok := m[key]
	if !ok {
		return nil, false
	}
	return NewValueInterface(v), true
}

func (m stringMap) Has(key string) bool {
	_, ok := m[key]
	return ok
}

func (m stringMap) Delete(key string) { delete(m, key) }

func (m stringMap) Equals(other Map) bool {
	switch o := other.(type) {
	case stringMap:
		return equalMaps(m, o)
	case interfaceMap:
		return equalAnyMaps(anyMap{s: m}, anyMap{a: o})
	}
	return hasEqualEntries(m, other)
}

func (m stringMap) Iterate(fn func(key string, value Value) bool) bool {
	if len(m) == 0 {
		return true
	}
	box := &valueUnstructured{}
	for k, v := range m {
		box.Value = v
		if !fn(k, box) {
			return false
		}
	}
	return true
}

func (m stringMap) Length() int { return len(m) }
func (m stringMap) Empty() bool { return len(m) == 0 }

func (m stringMap) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

// interfaceMap is a map of plain data as YAML decodes it. Keys that are no
// strings are not there.
type interfaceMap map[interface{}]interface{}

func (m interfaceMap) Set(key string, val Value) { m[key] = val.Unstructured() }

func (m interfaceMap) Get(key string) (Value, bool) {
	v, ok := m[key]
	if !ok {
		return nil, false
	}
	return NewValueInterface(v), true
}

func (m interfaceMap) Has(key string) bool {
	_, ok := m[key]
	return ok
}

func (m interfaceMap) Delete(key string) { delete(m, key) }

func (m interfaceMap) Equals(other Map) bool {
	switch o := other.(type) {
	case stringMap:
		return equalAnyMaps(anyMap{a: m}, anyMap{s: o})
	case interfaceMap:
		return equalAnyMaps(anyMap{a: m}, anyMap{a: o})
	}
	return hasEqualEntries(m, other)
}

func (m interfaceMap) Iterate(fn func(key string, value Value) bool) bool {
	if len(m) == 0 {
		return true
	}
	box := &valueUnstructured{}
	for k, v := range (anyMap{a: m}).all {
		box.Value = v
		if !fn(k, box) {
			return false
		}
	}
	return true
}

func (m interfaceMap) Length() int {
	return anyMap{a: m}.len()
}

func (m interfaceMap) Empty() bool { return m.Length() == 0 }

func (m interfaceMap) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

// hasEqualEntries reports whether m has as many entries as other and an equal
// one for each of other's.
func hasEqualEntries(m, other Map) bool {
	if m.Length() != other.Length() {
		return false
	}
	if m.Empty() {
		return true
	}
	return other.Iterate(func(key string, want Value) bool {
		v, ok := m.Get(key)
		return ok && Equals(v, want)
	})
}

// Batch hands out values of plain data, like NewValueInterface, for a fraction
// of the allocations: their memory is taken in chunks. The zero Batch is ready
// for use. A Batch must not be used by several goroutines at once; the values
// it gave out may be.
//
// A value stays valid for as long as anything refers to it, and keeps the data
// of its whole chunk, at most 128 values, from being collected. So a Batch is
// for values that live and die together, such as the keys of one field set.
type Batch struct {
	chunk []valueUnstructured
}

const (
	firstChunk = 4
	lastChunk  = 128
)

// Value wraps v like NewValueInterface.
func (b *Batch) Value(v any) Value {
	if len(b.chunk) == cap(b.chunk) {
		n := min(max(2*cap(b.chunk), firstChunk), lastChunk)
		b.chunk = make([]valueUnstructured, 0, n)
	}
	b.chunk = append(b.chunk, valueUnstructured{Value: v})
	return &b.chunk[len(b.chunk)-1]
}
