// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"reflect"
)

// structReflect is a struct, seen as a map of the fields that are not left out
// of its serialised form.
type structReflect struct {
	valueReflect
	t *typeInfo
}

// present returns the value of a field unless it is left out.
func (s *structReflect) present(f *FieldCacheEntry) (reflect.Value, bool) {
	v := f.GetFrom(s.v)
	return v, !f.CanOmit(v)
}

func (s *structReflect) Set(key string, val Value) {
	f, ok := s.t.fields[key]
	if !ok {
		panic(fmt.Sprintf("key %s may not be set on struct %T: field does not exist", key, s.v.Interface()))
	}
	s.write(f, reflect.ValueOf(val.Unstructured()))
}

func (s *structReflect) Delete(key string) {
	f, ok := s.t.fields[key]
	if !ok {
		panic(fmt.Sprintf("key %s may not be deleted on struct %T: field does not exist", key, s.v.Interface()))
	}
	if f.typ.Kind() != reflect.Pointer && !f.omitEmpty {
		panic(fmt.Sprintf("key %s may not be deleted on struct: %T: value is neither a pointer nor an omitempty field", key, s.v.Interface()))
	}
	s.write(f, reflect.Zero(f.typ))
}

// write gives a field a value. A struct in a map can not be written to; a new
// one takes its place, with that field alone.
func (s *structReflect) write(f *FieldCacheEntry, v reflect.Value) {
	if field := f.GetFrom(s.v); field.CanSet() {
		field.Set(v)
		return
	}
	if s.slot == nil {
		panic(fmt.Sprintf("key %s may not be modified on struct: %T: struct is not settable", f.JsonName, s.v.Interface()))
	}
	replacement := reflect.New(s.v.Type()).Elem()
	f.GetFrom(replacement).Set(v)
	s.slot.m.SetMapIndex(s.slot.key, replacement)
}

func (s *structReflect) Get(key string) (Value, bool) {
	f, ok := s.t.fields[key]
	if !ok {
		return nil, false
	}
	v, ok := s.present(f)
	if !ok {
		return nil, false
	}
	return s.wrap(new(valueReflect), f, v), true
}

// wrap makes r the value of a field.
func (s *structReflect) wrap(r *valueReflect, f *FieldCacheEntry, v reflect.Value) *valueReflect {
	return r.mustSet(v, f.TypeEntry.t, nil, s.depth+1)
}

func (s *structReflect) GetUsing(_ Allocator, key string) (Value, bool) {
	return s.Get(key)
}

func (s *structReflect) Has(key string) bool {
	f, ok := s.t.fields[key]
	if !ok {
		return false
	}
	_, ok = s.present(f)
	return ok
}

func (s *structReflect) Equals(other Map) bool {
	return MapEquals(s, other)
}

func (s *structReflect) EqualsUsing(_ Allocator, other Map) bool {
	return MapEquals(s, other)
}

func (s *structReflect) Iterate(fn func(key string, value Value) bool) bool {
	var item valueReflect
	for _, f := range s.t.sorted {
		if v, ok := s.present(f); ok && !fn(f.JsonName, s.wrap(&item, f, v)) {
			return false
		}
	}
	return true
}

func (s *structReflect) IterateUsing(_ Allocator, fn func(key string, value Value) bool) bool {
	return s.Iterate(fn)
}

func (s *structReflect) Length() int {
	n := 0
	for _, f := range s.t.sorted {
		if _, ok := s.present(f); ok {
			n++
		}
	}
	return n
}

func (s *structReflect) Empty() bool {
	for _, f := range s.t.sorted {
		if _, ok := s.present(f); ok {
			return false
		}
	}
	return true
}

func (s *structReflect) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	if o, ok := other.(*structReflect); ok && o.t == s.t {
		return s.zipFields(o, fn)
	}
	return zip(s, other, order, fn)
}

func (s *structReflect) ZipUsing(_ Allocator, other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return s.Zip(other, order, fn)
}

// zipFields is Zip for two structs of one type, field by field in order.
func (s *structReflect) zipFields(other *structReflect, fn func(key string, lhs, rhs Value) bool) bool {
	var left, right valueReflect
	for _, f := range s.t.sorted {
		l, hasLeft := s.present(f)
		r, hasRight := other.present(f)
		if !hasLeft && !hasRight {
			continue
		}
		var lhs, rhs Value
		if hasLeft {
			lhs = s.wrap(&left, f, l)
		}
		if hasRight {
			rhs = other.wrap(&right, f, r)
		}
		if !fn(f.JsonName, lhs, rhs) {
			return false
		}
	}
	return true
}
