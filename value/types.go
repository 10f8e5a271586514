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

// UnstructuredConverter is implemented by types that know their plain form,
// which saves the way through JSON. The plain form must be what MarshalJSON
// says as well.
type UnstructuredConverter interface {
	json.Marshaler

	// ToUnstructured returns the plain form.
	ToUnstructured() interface{}
}

// UnstructuredConverterWithError is UnstructuredConverter for types not all of
// whose values have a plain form. It wins over UnstructuredConverter where a
// type implements both.
type UnstructuredConverterWithError interface {
	json.Marshaler

	// ToUnstructuredWithError returns the plain form, or an error if there is
	// none.
	ToUnstructuredWithError() (any, error)
}

// TypeReflectCacheEntry says how values of one Go type convert to and from
// plain data. It is immutable. TypeReflectEntryOf returns the entry of a type.
type TypeReflectCacheEntry struct {
	t *typeInfo
}

// FieldCacheEntry says how a field of a struct converts. It is immutable.
type FieldCacheEntry struct {
	// JsonName is the name of the field in the serialised form.
	JsonName string

	// TypeEntry is the entry of the type of the field.
	TypeEntry *TypeReflectCacheEntry

	// path leads to the field, through embedded structs.
	path      []int
	typ       reflect.Type
	omitEmpty bool
	omitZero  func(reflect.Value) bool
}

// CanOmit reports whether a value of the field is left out of the serialised
// form, because of omitempty or omitzero.
func (f *FieldCacheEntry) CanOmit(fieldVal reflect.Value) bool {
	return f.omitEmpty && isEmpty(fieldVal) || f.omitZero != nil && f.omitZero(fieldVal)
}

// GetFrom returns the field of a struct or of a pointer to one, or the zero
// value if the way to the field leads through a nil pointer.
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

// MakeIn is GetFrom for a field that is to be set, in a struct that can be: nil
// pointers to embedded structs on the way are replaced. The result cannot be set
// if such a pointer is not exported. For the packages of this module.
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

// typeInfo is what there is to know about a type. Everything that the type
// refers to is known along with it, so that walks of data need no look-ups.
type typeInfo struct {
	entry TypeReflectCacheEntry

	methods methods
	shape   shape
	// leaves says that there may be a goLeaf or a goText in a value of the type. Of types that hold
	// themselves, not all are known.
	leaves bool
	// elem is what pointers, slices and maps of this type hold.
	elem *typeInfo

	// fields are those of a struct, by name; sorted are the same in order.
	fields map[string]*FieldCacheEntry
	sorted []*FieldCacheEntry
}

// methods says which interfaces a type implements, or else a pointer to it.
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

// noType stands for the type of a zero TypeReflectCacheEntry.
var noType typeInfo

func (e TypeReflectCacheEntry) info() *typeInfo {
	if e.t == nil {
		return &noType
	}
	return e.t
}

// Fields returns the fields of a struct by their names in the serialised form,
// or nil for other types. The map must not be changed.
func (e TypeReflectCacheEntry) Fields() map[string]*FieldCacheEntry {
	return e.info().fields
}

// OrderedFields returns the fields of a struct sorted by their names in the
// serialised form, or nil for other types. The slice must not be changed.
func (e TypeReflectCacheEntry) OrderedFields() []*FieldCacheEntry {
	return e.info().sorted
}

// types holds what is known. Readers take the map as it is; a writer, one at a
// time, replaces it by a bigger one.
var types struct {
	known  atomic.Pointer[map[reflect.Type]*typeInfo]
	writer sync.Mutex
}

// TypeReflectEntryOf returns the entry of a type, always the same one. It may
// be called by several goroutines at once.
func TypeReflectEntryOf(t reflect.Type) *TypeReflectCacheEntry {
	return &infoOf(t).entry
}

func infoOf(t reflect.Type) *typeInfo {
	if known := types.known.Load(); known != nil {
		if info, ok := (*known)[t]; ok {
			return info
		}
	}
	return learn(t)
}

// learn makes t and all that it refers to known.
func learn(t reflect.Type) *typeInfo {
	types.writer.Lock()
	defer types.writer.Unlock()
	l := learner{}
	if known := types.known.Load(); known != nil {
		l = maps.Clone(*known)
	}
	info := l.info(t)
	m := map[reflect.Type]*typeInfo(l)
	types.known.Store(&m)
	return info
}

// learner is the types known so far and those in the making. Types may refer
// to each other in circles.
type learner map[reflect.Type]*typeInfo

func (l learner) info(t reflect.Type) *typeInfo {
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

// addFields adds the fields of t, a struct at a path from the one that they
// are fields of, by their tags as encoding/json reads these. The option "inline"
// means nothing: it is embedding without a name that inlines. Of several fields
// with one name the last wins, whatever its depth. A struct embedded in itself,
// as within says, adds nothing more.
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

// OmitZeroFunc returns a function that reports whether a value of type t is
// zero for the json option omitzero: what its method IsZero says, on the value
// or on a pointer to it, or else that it is the zero value. Nil pointers and
// interfaces are zero. The function may be called by several goroutines.
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

// pointerIsZero calls IsZero on a pointer to v, to a copy if it must.
func pointerIsZero(v reflect.Value) bool {
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	return v.Addr().Interface().(isZeroer).IsZero()
}

// isNil is reflect's IsNil, false for what can not be nil.
func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice,
		reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

// isEmpty reports whether the json option omitempty leaves v out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Array, reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Struct, reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Float32, reflect.Float64:
		return v.Float() == 0 // -0, too
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

// CanConvertToUnstructured reports whether values of the type, or pointers to
// them, convert themselves: they implement json.Marshaler,
// UnstructuredConverter or UnstructuredConverterWithError.
func (e TypeReflectCacheEntry) CanConvertToUnstructured() bool {
	return e.info().methods&convertible != 0
}

// CanConvertFromUnstructured reports whether pointers to values of the type
// implement json.Unmarshaler.
func (e TypeReflectCacheEntry) CanConvertFromUnstructured() bool {
	return e.info().methods&pointerUnmarshals != 0
}

// ToUnstructured returns what a value of the type converts itself to, nil for
// a nil pointer. JSON numbers become int64 where they fit, otherwise float64.
// It returns the error of the conversion, or one that says that the type has
// none; a method of the pointer counts only if the value is addressable.
func (e TypeReflectCacheEntry) ToUnstructured(sv reflect.Value) (interface{}, error) {
	u, _, err := e.info().convert(sv)
	return u, err
}

// convert is ToUnstructured. fresh says that nobody else holds on to u, and
// that it is made of nothing but nil, bool, int64, float64, string,
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

// FromUnstructured sets dv, which must be addressable and of the type, to what
// its UnmarshalJSON makes of the plain data sv. It returns the error of
// UnmarshalJSON, or one that says that sv has no JSON or dv no UnmarshalJSON.
func (e TypeReflectCacheEntry) FromUnstructured(sv, dv reflect.Value) error {
	room := buffers.Get().(*[]byte) // UnmarshalJSON may not retain what it is given
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

// maxBuffer is how large buffers are kept.
const maxBuffer = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}
