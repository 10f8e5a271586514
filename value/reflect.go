// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
)

// NewValueReflect wraps a pointer to a Go value, typically a struct. The Value has the content
// to which the Go value would be serialised: it respects json names, omitempty, omitzero,
// json.Marshaler and UnstructuredConverter. Nil is null. Changes made through the Value change
// the Go value.
//
// NewValueReflect returns an error if its argument is not a pointer, or if a conversion method
// of the value returns an error. Methods of the Value panic when they reach a Go type that
// cannot be serialised here (uint64, arrays, channels, pointers to pointers), an inner value
// whose conversion method returns an error, or data nested deeper than 10,000 levels.
func NewValueReflect(value interface{}) (Value, error) {
	if value == nil {
		return NewValueInterface(nil), nil
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Pointer {
		return nil, errors.New("value provided to NewValueReflect must be a pointer")
	}
	r := &valueReflect{}
	if err := r.set(v, infoOf(v.Type()), 0); err != nil {
		return nil, err
	}
	return r, nil
}

// valueReflect is a Go value accessed by reflection.
type valueReflect struct {
	// v is the wrapped value. If the argument of NewValueReflect is a non-nil pointer or
	// interface, v is the value that it points to or contains.
	v     reflect.Value
	shape shape
	depth int32
}

// entryReflect is a value of a Go map.
type entryReflect struct {
	valueReflect
	slot mapSlot
}

// mapSlot is an entry of a Go map. The value of an entry is not addressable, so a changed value
// must be stored in the map again.
type mapSlot struct {
	m, key reflect.Value
}

// shape classifies Go types by how they are serialised. A valueReflect has one of the first ten
// shapes. Their numbers must not change, because some error messages print them.
type shape uint8

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
	otherShape // all other Go kinds, which have no valid values except nil
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

// set sets r to v, a value of type t. If t has a conversion method, set stores the result of
// that method instead, or returns its error.
func (r *valueReflect) set(v reflect.Value, t *typeInfo, depth int32) error {
	if t.methods&convertible != 0 {
		u, _, err := t.convert(v)
		if err != nil {
			return err
		}
		if u == nil {
			*r = valueReflect{v: reflect.Zero(nullType), shape: nullShape, depth: depth}
			return nil
		}
		v = reflect.ValueOf(u)
	}
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Interface) && !v.IsNil() {
		v = v.Elem()
	}
	s := shapeOf(v.Type())
	if isNil(v) {
		s = nullShape
	} else if s >= pointerShape {
		panic(unsupported(v.Type()))
	}
	checkDepth(int(depth))
	*r = valueReflect{v: v, shape: s, depth: depth}
	return nil
}

// nullType is the type of a null value. Its zero value is nil.
var nullType = reflect.TypeFor[*struct{}]()

// mustSet is like set, but panics instead of returning an error.
func (r *valueReflect) mustSet(v reflect.Value, t *typeInfo, depth int32) *valueReflect {
	if err := r.set(v, t, depth); err != nil {
		panic(err)
	}
	return r
}

// Format prints r as structured-merge-diff prints it in error messages.
func (r *valueReflect) Format(f fmt.State, verb rune) { r.format(f, verb, nil) }

func (r *valueReflect) format(f fmt.State, verb rune, slot *mapSlot) {
	type valueReflect struct {
		ParentMap    *reflect.Value
		ParentMapKey *reflect.Value
		Value        reflect.Value
		kind         int
	}
	p := &valueReflect{Value: r.v, kind: int(r.shape)}
	if slot != nil {
		p.ParentMap, p.ParentMapKey = &slot.m, &slot.key
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), p)
}

// Format prints e like a valueReflect, together with the map that contains e and the key of e in that
// map.
func (e *entryReflect) Format(f fmt.State, verb rune) { e.format(f, verb, &e.slot) }

// Go returns the wrapped Go value. Only packages of this module call it.
func (r *valueReflect) Go() reflect.Value { return r.v }
func (r *valueReflect) IsMap() bool       { return r.shape == mapShape || r.shape == structShape }
func (r *valueReflect) IsList() bool      { return r.shape == listShape }
func (r *valueReflect) IsBool() bool      { return r.shape == boolShape }
func (r *valueReflect) IsInt() bool       { return r.shape == intShape || r.shape == uintShape }
func (r *valueReflect) IsFloat() bool     { return r.shape == floatShape }

func (r *valueReflect) IsString() bool {
	return r.shape == stringShape || r.shape == bytesShape
}

func (r *valueReflect) IsNull() bool { return r.shape == nullShape }

func (r *valueReflect) AsMap() Map {
	switch r.shape {
	case structShape:
		return &structReflect{*r, infoOf(r.v.Type()), nil}
	case mapShape:
		return &mapReflect{*r, infoOf(r.v.Type()).elem}
	}
	panic("value is not a map or struct")
}

// AsMap returns the value of the entry as a Map. If the value is a struct and the caller changes a
// field, a new struct replaces it in the Go map. In the new struct, only this field is set (see
// structReflect.write).
func (e *entryReflect) AsMap() Map {
	if e.shape != structShape {
		return e.valueReflect.AsMap()
	}
	slot := e.slot // copied, because an iteration reuses e
	return &structReflect{e.valueReflect, infoOf(e.v.Type()), &slot}
}

func (r *valueReflect) AsList() List {
	if !r.IsList() {
		panic("value is not a list")
	}
	return &listReflect{r.v, infoOf(r.v.Type()).elem, r.depth}
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

func (r *valueReflect) Unstructured() interface{} { return r.PlainWithSources(nil) }

// PlainWithSources returns the same data as Unstructured. For each list in the result, it calls
// onList with the list and the Go slice from which the list was created. Each list has its own
// address, even if it is empty. Only packages of this module call it.
func (r *valueReflect) PlainWithSources(onList func(list []any, from reflect.Value)) any {
	if r.shape == stringShape {
		return r.v.String()
	}
	l := converter{onList: onList}
	return l.plain(r.v, infoOf(r.v.Type()), nil, int(r.depth))
}

// listReflect is a slice.
type listReflect struct {
	v     reflect.Value
	elem  *typeInfo
	depth int32
}

func (l *listReflect) Length() int { return l.v.Len() }

func (l *listReflect) At(i int) Value {
	return new(valueReflect).mustSet(l.v.Index(i), l.elem, l.depth+1)
}

func (l *listReflect) Range() ListRange {
	var item valueReflect
	return newRange(l.v.Len(), func(i int) Value { return item.mustSet(l.v.Index(i), l.elem, l.depth+1) })
}

// Equals compares two wrapped Go slices with reflect.DeepEqual, as structured-merge-diff does.
// If other does not wrap a Go slice, Equals compares the items.
func (l *listReflect) Equals(other List) bool {
	if o, ok := other.(*listReflect); ok {
		return reflect.DeepEqual(l.v.Interface(), o.v.Interface())
	}
	return ListEquals(l, other)
}

// mapReflect is a Go map whose keys can be converted to and from strings.
type mapReflect struct {
	valueReflect
	elem *typeInfo
}

// key converts a key to the key type of the map.
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
	return m.wrap(new(entryReflect), k, v), true
}

// wrap sets e to the map entry with the key k and the value v.
func (m *mapReflect) wrap(e *entryReflect, k, v reflect.Value) *entryReflect {
	e.mustSet(v, m.elem, m.depth+1)
	e.slot = mapSlot{m.v, k}
	return e
}

func (m *mapReflect) Has(key string) bool { return m.v.MapIndex(m.key(key)).IsValid() }

func (m *mapReflect) Delete(key string) {
	m.v.SetMapIndex(m.key(key), reflect.Value{})
}

func (m *mapReflect) Equals(other Map) bool { return MapEquals(m, other) }

func (m *mapReflect) Iterate(fn func(key string, value Value) bool) bool {
	var item entryReflect
	for iter := m.v.MapRange(); iter.Next(); {
		k := iter.Key()
		if !fn(k.String(), m.wrap(&item, k, iter.Value())) {
			return false
		}
	}
	return true
}

func (m *mapReflect) Length() int { return m.v.Len() }
func (m *mapReflect) Empty() bool { return m.v.Len() == 0 }

func (m *mapReflect) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

// structReflect presents a struct as a map of the fields that serialisation does not
// omit.
type structReflect struct {
	valueReflect
	t    *typeInfo
	slot *mapSlot // the entry of the Go map that contains this struct, or nil
}

// present returns the value of a field, and whether serialisation includes the field.
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

// write sets a field. A struct in a Go map cannot be changed, so write replaces it with a new
// struct, in which only this field is set.
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

// find returns a field and its value. ok is false if there is no such field, or if serialisation
// omits it.
func (s *structReflect) find(key string) (f *FieldCacheEntry, v reflect.Value, ok bool) {
	if f, ok = s.t.fields[key]; ok {
		v, ok = s.present(f)
	}
	return f, v, ok
}

func (s *structReflect) Get(key string) (Value, bool) {
	f, v, ok := s.find(key)
	if !ok {
		return nil, false
	}
	return s.wrap(new(valueReflect), f, v), true
}

// wrap sets r to the value of a field and returns r.
func (s *structReflect) wrap(r *valueReflect, f *FieldCacheEntry, v reflect.Value) *valueReflect {
	return r.mustSet(v, f.TypeEntry.t, s.depth+1)
}

func (s *structReflect) Has(key string) bool {
	_, _, ok := s.find(key)
	return ok
}

func (s *structReflect) Equals(other Map) bool { return MapEquals(s, other) }

func (s *structReflect) Iterate(fn func(key string, value Value) bool) bool {
	var item valueReflect
	for _, f := range s.t.sorted {
		if v, ok := s.present(f); ok && !fn(f.JsonName, s.wrap(&item, f, v)) {
			return false
		}
	}
	return true
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

func (s *structReflect) Empty() bool { return s.Length() == 0 }

func (s *structReflect) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(s, other, order, fn)
}
