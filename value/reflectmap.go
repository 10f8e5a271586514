// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "reflect"

// mapReflect is a Go map. Its keys are seen as strings.
type mapReflect struct {
	valueReflect
	elem *typeInfo
}

// key returns a key as the type of the keys of the map.
func (m *mapReflect) key(key string) reflect.Value {
	k := reflect.ValueOf(key)
	if t := m.v.Type().Key(); t != k.Type() {
		return k.Convert(t)
	}
	return k
}

func (m *mapReflect) Set(key string, val Value) {
	m.v.SetMapIndex(m.key(key), reflect.ValueOf(val.Unstructured()))
}

func (m *mapReflect) Get(key string) (Value, bool) {
	k := m.key(key)
	v := m.v.MapIndex(k)
	if !v.IsValid() {
		return nil, false
	}
	return m.wrap(new(valueReflect), k, v), true
}

// wrap makes r the value at a key.
func (m *mapReflect) wrap(r *valueReflect, k, v reflect.Value) *valueReflect {
	return r.mustSet(v, m.elem, &mapSlot{m.v, k}, m.depth+1)
}

func (m *mapReflect) GetUsing(_ Allocator, key string) (Value, bool) {
	return m.Get(key)
}

func (m *mapReflect) Has(key string) bool {
	return m.v.MapIndex(m.key(key)).IsValid()
}

func (m *mapReflect) Delete(key string) {
	m.v.SetMapIndex(m.key(key), reflect.Value{})
}

func (m *mapReflect) Equals(other Map) bool {
	return hasEqualEntries(m, other)
}

func (m *mapReflect) EqualsUsing(_ Allocator, other Map) bool {
	return m.Equals(other)
}

func (m *mapReflect) Iterate(fn func(key string, value Value) bool) bool {
	var item valueReflect
	for iter := m.v.MapRange(); iter.Next(); {
		k := iter.Key()
		if !fn(k.String(), m.wrap(&item, k, iter.Value())) {
			return false
		}
	}
	return true
}

func (m *mapReflect) IterateUsing(_ Allocator, fn func(key string, value Value) bool) bool {
	return m.Iterate(fn)
}

func (m *mapReflect) Length() int {
	return m.v.Len()
}

func (m *mapReflect) Empty() bool {
	return m.v.Len() == 0
}

func (m *mapReflect) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

func (m *mapReflect) ZipUsing(_ Allocator, other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}
