// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// UnstructuredConverter is implemented by types that convert themselves to plain data.
// ToUnstructured must return the same data as decoding the output of MarshalJSON, which is slower.
type UnstructuredConverter interface {
	json.Marshaler

	// ToUnstructured returns the value as plain data.
	ToUnstructured() interface{}
}

// UnstructuredConverterWithError is like UnstructuredConverter, but the conversion can fail. If
// a type implements both interfaces, ToUnstructuredWithError is called.
type UnstructuredConverterWithError interface {
	json.Marshaler

	// ToUnstructuredWithError returns the value as plain data, or an error if this value cannot
	// be converted.
	ToUnstructuredWithError() (any, error)
}

// TypeReflectCacheEntry describes how values of one Go type are converted to and from plain
// data. It is immutable. TypeReflectEntryOf returns the entry of a type.
type TypeReflectCacheEntry struct {
	t *typeInfo
}

// FieldCacheEntry describes how a field of a struct is converted. It is immutable.
type FieldCacheEntry struct {
	// JsonName is the JSON name of the field.
	JsonName string

	// TypeEntry describes the type of the field.
	TypeEntry *TypeReflectCacheEntry

	// path lists the field indexes that lead to the field through embedded structs.
	path      []int
	typ       reflect.Type
	omitEmpty bool
	omitZero  func(reflect.Value) bool
}

// CanOmit reports whether serialisation omits the field if it has the value fieldVal, because of
// omitempty or omitzero.
func (f *FieldCacheEntry) CanOmit(fieldVal reflect.Value) bool {
	return f.omitEmpty && isEmpty(fieldVal) || f.omitZero != nil && f.omitZero(fieldVal)
}

// GetFrom returns the value of the field in structVal, which is a struct or a pointer to a
// struct. If the field belongs to an embedded struct whose pointer is nil, GetFrom returns the
// zero value.
func (f *FieldCacheEntry) GetFrom(structVal reflect.Value) reflect.Value {
	for _, i := range f.path {
		if k := structVal.Kind(); k == reflect.Pointer || k == reflect.Interface {
			if structVal.IsNil() {
				return reflect.Zero(f.typ)
			}
			structVal = structVal.Elem()
		}
		structVal = structVal.Field(i)
	}
	return structVal
}

// MakeIn is like GetFrom, but returns a field that the caller can set, provided that structVal
// can be set. If the field belongs to an embedded struct whose pointer is nil, MakeIn allocates
// the embedded struct. It cannot allocate an embedded struct of an unexported type. The caller
// then cannot set the result. Only packages of this module call MakeIn.
func (f *FieldCacheEntry) MakeIn(structVal reflect.Value) reflect.Value {
	for _, i := range f.path {
		if structVal.Kind() == reflect.Pointer {
			if structVal.IsNil() {
				if !structVal.CanSet() {
					return reflect.Zero(f.typ)
				}
				structVal.Set(reflect.New(structVal.Type().Elem()))
			}
			structVal = structVal.Elem()
		}
		structVal = structVal.Field(i)
	}
	return structVal
}

// typeInfo describes a Go type. It points directly to the typeInfo of each type that it refers
// to, so that code that walks data needs no lookups.
type typeInfo struct {
	entry TypeReflectCacheEntry

	methods methods
	shape   shape
	// leaves is true if converting a value of the type may leave a goLeaf or a goText in the
	// result. For some recursive types, it is false although it should be true. Values of such a
	// type are converted completely, which is correct but slower.
	leaves bool
	// elem is the element type of a pointer, slice or map.
	elem *typeInfo

	// fields contains the fields of a struct by JSON name. sorted contains the same fields,
	// sorted by JSON name.
	fields map[string]*FieldCacheEntry
	sorted []*FieldCacheEntry
}

// methods is a set of the conversion interfaces that a type, or a pointer to it, implements.
type methods uint8

const (
	marshals methods = 1 << iota
	pointerMarshals
	unmarshals
	pointerUnmarshals
	converts
	pointerConverts
	convertsWithError
	pointerConvertsWithError

	convertible = marshals | pointerMarshals | converts | pointerConverts | convertsWithError | pointerConvertsWithError
)

var (
	marshalerType          = reflect.TypeFor[json.Marshaler]()
	unmarshalerType        = reflect.TypeFor[json.Unmarshaler]()
	converterType          = reflect.TypeFor[UnstructuredConverter]()
	converterWithErrorType = reflect.TypeFor[UnstructuredConverterWithError]()
)

func methodsOf(t reflect.Type) methods {
	var m methods
	p := reflect.PointerTo(t)
	for i, method := range []reflect.Type{marshalerType, unmarshalerType, converterType, converterWithErrorType} {
		if t.Implements(method) {
			m |= marshals << (2 * i)
		}
		if p.Implements(method) {
			m |= pointerMarshals << (2 * i)
		}
	}
	return m
}

// noType is the type of a zero TypeReflectCacheEntry.
var noType typeInfo

func (e TypeReflectCacheEntry) info() *typeInfo {
	if e.t == nil {
		return &noType
	}
	return e.t
}

// Fields returns the fields of a struct by JSON name, or nil for other types. The caller
// must not change the map.
func (e TypeReflectCacheEntry) Fields() map[string]*FieldCacheEntry {
	return e.info().fields
}

// OrderedFields returns the fields of a struct sorted by JSON name, or nil for other
// types. The caller must not change the slice.
func (e TypeReflectCacheEntry) OrderedFields() []*FieldCacheEntry {
	return e.info().sorted
}

// types caches the typeInfo of each type seen so far. Readers load the map without a lock. A
// writer holds the lock and replaces the map with a larger copy.
var types struct {
	known  atomic.Pointer[map[reflect.Type]*typeInfo]
	writer sync.Mutex
}

// TypeReflectEntryOf returns the entry of a type. For the same type, each call returns the same
// pointer. It is safe for concurrent use.
func TypeReflectEntryOf(t reflect.Type) *TypeReflectCacheEntry {
	return &infoOf(t).entry
}

func infoOf(t reflect.Type) *typeInfo {
	if known := types.known.Load(); known != nil {
		if info, ok := (*known)[t]; ok {
			return info
		}
	}
	return addType(t)
}

// addType adds t, and all types that t refers to, to the cache.
func addType(t reflect.Type) *typeInfo {
	types.writer.Lock()
	defer types.writer.Unlock()
	l := typeBuilder{}
	if known := types.known.Load(); known != nil {
		l = maps.Clone(*known)
	}
	info := l.info(t)
	m := map[reflect.Type]*typeInfo(l)
	types.known.Store(&m)
	return info
}

// typeBuilder maps each Go type added so far to its typeInfo. A type is added before the types
// that it refers to, so that recursive types do not cause endless recursion.
type typeBuilder map[reflect.Type]*typeInfo

func (l typeBuilder) info(t reflect.Type) *typeInfo {
	if info, ok := l[t]; ok {
		return info
	}
	info := &typeInfo{methods: methodsOf(t), shape: shapeOf(t)}
	info.entry = TypeReflectCacheEntry{info}
	l[t] = info
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		info.elem = l.info(t.Elem())
		info.leaves = info.elem.leaves || info.shape == listShape && info.elem.isContainer() ||
			info.shape == mapShape && info.elem.shape == bytesShape
	case reflect.Struct:
		info.fields = map[string]*FieldCacheEntry{}
		addFields(info.fields, t, nil, []reflect.Type{t})
		info.sorted = slices.AppendSeq(make([]*FieldCacheEntry, 0, len(info.fields)), maps.Values(info.fields))
		slices.SortFunc(info.sorted, func(a, b *FieldCacheEntry) int {
			return strings.Compare(a.JsonName, b.JsonName)
		})
		for _, f := range info.sorted {
			f.TypeEntry = &l.info(f.typ).entry
			info.leaves = info.leaves || f.TypeEntry.t.leaves
		}
	}
	return info
}

// addFields adds the fields of the struct t to the map fields. t is the root struct, or a struct
// embedded at path. addFields reads json tags like encoding/json, with one difference: if several
// fields have the same name, the last one wins, regardless of depth. It ignores the option "inline": an
// embedded struct is inlined if its tag gives no name.
//
// within contains t and the structs in which t is embedded. If a struct is embedded in itself,
// addFields does not add its fields again.
func addFields(fields map[string]*FieldCacheEntry, t reflect.Type, path []int, within []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		at := append(slices.Clip(path), i)
		name, options, _ := strings.Cut(tag, ",")
		if name == "" && f.Anonymous {
			e := f.Type
			if e.Kind() == reflect.Pointer {
				e = e.Elem()
			}
			if e.Kind() == reflect.Struct && !slices.Contains(within, e) {
				addFields(fields, e, at, append(slices.Clip(within), e))
			}
			continue
		}
		entry := &FieldCacheEntry{JsonName: cmp.Or(name, f.Name), path: at, typ: f.Type}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				entry.omitEmpty = true
			case "omitzero":
				entry.omitZero = OmitZeroFunc(f.Type)
			}
		}
		fields[entry.JsonName] = entry
	}
}

type isZeroer interface {
	IsZero() bool
}

var isZeroerType = reflect.TypeFor[isZeroer]()

// OmitZeroFunc returns a function that reports whether the json option omitzero omits a value of
// type t. The function calls the IsZero method of the value, or of a pointer to the value. If
// there is no such method, it reports whether the value is the zero value of t. It returns true
// for nil pointers and nil interfaces. It is safe for concurrent use.
func OmitZeroFunc(t reflect.Type) func(reflect.Value) bool {
	switch {
	case t.Implements(isZeroerType):
		return func(v reflect.Value) bool {
			return isNilPointer(v) || v.Kind() == reflect.Interface && isNilPointer(v.Elem()) || v.Interface().(isZeroer).IsZero()
		}
	case reflect.PointerTo(t).Implements(isZeroerType):
		return pointerIsZero
	}
	return reflect.Value.IsZero
}

func isNilPointer(v reflect.Value) bool {
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil()
}

// pointerIsZero calls IsZero on a pointer to v, or to a copy if v is not addressable.
func pointerIsZero(v reflect.Value) bool {
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	return v.Addr().Interface().(isZeroer).IsZero()
}

// isNil is like v.IsNil, but returns false for kinds that cannot be nil.
func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice,
		reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

// isEmpty reports whether the json option omitempty omits v.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Array, reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Struct, reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Float32, reflect.Float64:
		return v.Float() == 0 // true for -0, too
	case reflect.Chan, reflect.Func:
		if !v.IsNil() {
			panic(unsupported(v.Type()))
		}
	}
	return v.IsZero()
}

func unsupported(t reflect.Type) string {
	return fmt.Sprintf("unsupported type: %v", t)
}

// CanConvertToUnstructured reports whether the type, or a pointer to the type, implements
// json.Marshaler, UnstructuredConverter or UnstructuredConverterWithError.
func (e TypeReflectCacheEntry) CanConvertToUnstructured() bool {
	return e.info().methods&convertible != 0
}

// CanConvertFromUnstructured reports whether a pointer to the type implements json.Unmarshaler.
func (e TypeReflectCacheEntry) CanConvertFromUnstructured() bool {
	return e.info().methods&pointerUnmarshals != 0
}

// ToUnstructured calls the conversion method of sv, a value of the type, and returns the result.
// It returns nil for a nil pointer. JSON numbers become int64 if they fit, and float64
// otherwise. ToUnstructured returns an error if the method does, or if there is no such method.
// It can call methods of the pointer type only if sv is addressable.
func (e TypeReflectCacheEntry) ToUnstructured(sv reflect.Value) (interface{}, error) {
	u, _, err := e.info().convert(sv)
	return u, err
}

// convert implements ToUnstructured. fresh is true if callers may use the result without copying
// it: no other code refers to it, and it consists only of nil, bool, int64, float64, string,
// []interface{} and map[string]interface{}.
func (t *typeInfo) convert(v reflect.Value) (u any, fresh bool, err error) {
	m := t.methods
	switch k := v.Kind(); {
	case k == reflect.Pointer && v.IsNil(), k == reflect.Interface && v.IsNil() && m&convertible != 0:
		return nil, true, nil
	case m&convertsWithError != 0:
		u, err = v.Interface().(UnstructuredConverterWithError).ToUnstructuredWithError()
		return u, false, err
	case m&pointerConvertsWithError != 0 && v.CanAddr():
		u, err = v.Addr().Interface().(UnstructuredConverterWithError).ToUnstructuredWithError()
		return u, false, err
	case m&converts != 0:
		return v.Interface().(UnstructuredConverter).ToUnstructured(), false, nil
	case m&pointerConverts != 0 && v.CanAddr():
		return v.Addr().Interface().(UnstructuredConverter).ToUnstructured(), false, nil
	case m&marshals != 0:
		u, err = unmarshaled(v.Interface().(json.Marshaler))
		return u, true, err
	case m&pointerMarshals != 0 && v.CanAddr() && k != reflect.Pointer:
		u, err = unmarshaled(v.Addr().Interface().(json.Marshaler))
		return u, true, err
	}
	return nil, true, fmt.Errorf("provided type cannot be converted: %v", v.Type())
}

func unmarshaled(m json.Marshaler) (any, error) {
	data, err := m.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// FromUnstructured encodes the plain data sv as JSON, and passes the JSON to the UnmarshalJSON
// method of dv. dv must be addressable, and must have the Go type that e describes.
// FromUnstructured returns an error if UnmarshalJSON does, if there is no such method, or if sv
// cannot be encoded.
func (e TypeReflectCacheEntry) FromUnstructured(sv, dv reflect.Value) error {
	room := buffers.Get().(*[]byte) // reused, so UnmarshalJSON must not retain its argument
	defer buffers.Put(room)
	data, err := marshal((*room)[:0], sv.Interface())
	if err != nil {
		return fmt.Errorf("error encoding %s to json: %v", dv.Type(), err)
	}
	if cap(data) <= maxBuffer {
		*room = data
	}
	if !e.CanConvertFromUnstructured() {
		return fmt.Errorf("unable to unmarshal %v into %v", sv.Type(), dv.Type())
	}
	return dv.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(data)
}

// maxBuffer is the capacity above which a buffer is not reused.
const maxBuffer = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}
