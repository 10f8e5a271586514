// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/value"
)

// The code in this file compares two Go values of the same type, including all values behind their
// pointers. It is like reflect.DeepEqual, but allocates almost no memory. If two values are the
// same and all conversion methods are deterministic, their plain data is equal. For NaNs and
// deeply nested data, the comparison may return false where reflect.DeepEqual returns true.

// sameness describes how to compare two values of a Go type.
type sameness struct {
	typ reflect.Type
	how method
	// size is the size in memory of the value, or of a list item.
	size uintptr
	// elem compares the targets of a pointer, the items of a list, or the values of a map.
	elem *sameness
	// parts contains the fields of a struct.
	parts []part
	// reflexive is true if a value always equals itself. It is false for floats, because a NaN
	// does not equal itself.
	reflexive bool
	// spare is a pool of memory for comparing maps.
	spare sync.Pool
}

// part is one field of a struct.
type part struct {
	*sameness
	offset uintptr
}

// method selects how to compare two values.
type method uint8

const (
	byByte method = iota
	byFloat
	byText
	byPointer
	byItem
	byPart
	byTextMap
	byKey
	deeply
)

var samenesses sync.Map // the *sameness of each reflect.Type

func samenessOf(t reflect.Type) *sameness {
	if l, ok := samenesses.Load(t); ok {
		return l.(*sameness)
	}
	l := samenessMaker{}.make(t)
	samenesses.Store(t, l)
	return l
}

var fieldParts sync.Map // the []part of each struct type

// partsOf returns a part for each of the given fields of the struct type t, in the order of
// fields. If a field belongs to an embedded struct behind a pointer, its part has a nil
// sameness.
func partsOf(t reflect.Type, fields []*value.FieldCacheEntry) []part {
	if p, ok := fieldParts.Load(t); ok {
		return p.([]part)
	}
	parts := make([]part, len(fields))
	whole := reflect.New(t).Elem()
	for i, f := range fields {
		if v := f.GetFrom(whole); v.CanAddr() {
			parts[i] = part{samenessOf(v.Type()), uintptr(v.Addr().UnsafePointer()) - uintptr(whole.Addr().UnsafePointer())}
		}
	}
	fieldParts.Store(t, parts)
	return parts
}

// samenessMaker holds all samenesses created so far, including incomplete ones, because types
// may be recursive.
type samenessMaker map[reflect.Type]*sameness

var textMap = reflect.TypeFor[map[string]string]()

func (m samenessMaker) make(t reflect.Type) *sameness {
	if l, ok := m[t]; ok {
		return l
	}
	l := &sameness{typ: t, how: deeply, size: t.Size()}
	m[t] = l
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		l.how, l.reflexive = byByte, true
	case reflect.Float32, reflect.Float64:
		l.how = byFloat
	case reflect.String:
		l.how, l.reflexive = byText, true
	case reflect.Pointer:
		l.how, l.elem = byPointer, m.make(t.Elem())
		l.reflexive = l.elem.reflexive
	case reflect.Slice:
		l.how, l.elem, l.size = byItem, m.make(t.Elem()), t.Elem().Size()
		l.reflexive = l.elem.reflexive
	case reflect.Map:
		if t.ConvertibleTo(textMap) {
			l.how, l.reflexive = byTextMap, true
		} else if t.Key().Kind() == reflect.String {
			l.how, l.elem = byKey, m.make(t.Elem())
			l.reflexive = l.elem.reflexive
		}
	case reflect.Struct:
		l.how, l.reflexive = byPart, true
		for i := range t.NumField() {
			f := t.Field(i)
			p := part{m.make(f.Type), f.Offset}
			l.reflexive = l.reflexive && p.reflexive
			l.parts = append(l.parts, p)
		}
	}
	return l
}

// same reports whether the values at the addresses a and b are the same.
func (l *sameness) same(a, b unsafe.Pointer) bool {
	var w sameWalk
	return w.same(l, a, b)
}

// compare returns the result of the method same. sure is true if reflect.DeepEqual certainly
// returns this result too.
func (l *sameness) compare(a, b unsafe.Pointer) (same, sure bool) {
	var w sameWalk
	same = w.same(l, a, b)
	return same, same || !w.unsure
}

// sameWalk is the state of one comparison.
type sameWalk struct {
	depth int
	// unsure is true if the comparison found a difference that reflect.DeepEqual may ignore.
	unsure bool
}

func (w *sameWalk) same(l *sameness, a, b unsafe.Pointer) bool {
	if a == b && l.reflexive {
		return true
	}
	switch l.how {
	case byByte:
		return sameNumber(a, b, l.size)
	case byFloat:
		x, y := float64At(a, l.size), float64At(b, l.size)
		w.unsure = w.unsure || x != x && y != y // reflect.DeepEqual may return true for a NaN and itself
		return x == y
	case byText:
		return *(*string)(a) == *(*string)(b)
	case byPointer:
		x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		if x == nil || y == nil {
			return x == y
		}
		if !w.enter() {
			return false
		}
		same := w.same(l.elem, x, y)
		w.depth--
		return same
	case byItem:
		return w.sameItems(l, (*sliceHeader)(a), (*sliceHeader)(b))
	case byPart:
		for i := range l.parts {
			p := &l.parts[i]
			x, y := unsafe.Add(a, p.offset), unsafe.Add(b, p.offset)
			switch p.how { // compare the most frequent kinds of fields without a function call
			case byText:
				if *(*string)(x) == *(*string)(y) {
					continue
				}
				return false
			case byPointer, byTextMap: // these fields are usually nil
				if *(*unsafe.Pointer)(x) == nil && *(*unsafe.Pointer)(y) == nil {
					continue
				}
			}
			if !w.same(p.sameness, x, y) {
				return false
			}
		}
		return true
	case byTextMap:
		x, y := *(*map[string]string)(a), *(*map[string]string)(b)
		return (x == nil) == (y == nil) && maps.Equal(x, y)
	case byKey:
		return w.sameEntries(l, reflect.NewAt(l.typ, a).Elem(), reflect.NewAt(l.typ, b).Elem())
	}
	return reflect.DeepEqual(reflect.NewAt(l.typ, a).Interface(), reflect.NewAt(l.typ, b).Interface())
}

func (w *sameWalk) sameItems(l *sameness, x, y *sliceHeader) bool {
	if x.len != y.len || (x.data == nil) != (y.data == nil) {
		return false
	}
	if x.data == y.data && l.reflexive {
		return true
	}
	if l.elem.how == byByte {
		return sameBytes(x.data, y.data, uintptr(x.len)*l.size)
	}
	if !w.enter() {
		return false
	}
	defer func() { w.depth-- }()
	for i := range x.len {
		offset := uintptr(i) * l.size
		if !w.same(l.elem, unsafe.Add(x.data, offset), unsafe.Add(y.data, offset)) {
			return false
		}
	}
	return true
}

func (w *sameWalk) sameEntries(l *sameness, x, y reflect.Value) bool {
	if x.IsNil() != y.IsNil() || x.Len() != y.Len() {
		return false
	}
	if x.UnsafePointer() == y.UnsafePointer() && l.reflexive {
		return true
	}
	if !w.enter() {
		return false
	}
	defer func() { w.depth-- }()
	t := l.spareEntries()
	defer l.done(t)
	t.fill(y)
	for i := x.MapRange(); i.Next(); {
		t.key.SetIterKey(i)
		at := t.find(t.key.String())
		if at < 0 {
			return false
		}
		t.value.SetIterValue(i)
		if !w.same(l.elem, t.value.Addr().UnsafePointer(), t.values.Index(at).Addr().UnsafePointer()) {
			return false
		}
	}
	return true
}

// entries holds copies of all entries of one map, and room for one entry of another map.
// Reading map values by reflection allocates a new copy each time, so this memory is reused.
type entries struct {
	key, value reflect.Value // one entry of the other map
	keys       []string
	values     reflect.Value // a slice with the values of the map
	at         map[string]int
}

func (l *sameness) spareEntries() *entries {
	if t, ok := l.spare.Get().(*entries); ok {
		return t
	}
	return &entries{
		key:    reflect.New(l.typ.Key()).Elem(),
		value:  reflect.New(l.elem.typ).Elem(),
		values: reflect.New(reflect.SliceOf(l.elem.typ)).Elem(),
		at:     map[string]int{},
	}
}

// done clears t and keeps its memory for reuse.
func (l *sameness) done(t *entries) {
	if len(t.keys) > maxKeptEntries {
		return
	}
	t.key.SetZero()
	t.value.SetZero()
	t.values.Clear()
	clear(t.keys)
	clear(t.at)
	l.spare.Put(t)
}

func (t *entries) fill(m reflect.Value) {
	n := m.Len()
	t.values.SetLen(0)
	t.values.Grow(n)
	t.values.SetLen(n)
	t.keys = slices.Grow(t.keys[:0], n)
	for i := m.MapRange(); i.Next(); {
		t.key.SetIterKey(i)
		t.values.Index(len(t.keys)).SetIterValue(i)
		if n > fewEntries {
			t.at[t.key.String()] = len(t.keys)
		}
		t.keys = append(t.keys, t.key.String())
	}
}

// maxKeptEntries is the maximum number of entries whose memory is kept for reuse.
const maxKeptEntries = 1 << 10

// fewEntries is the maximum number of keys for which a linear search is faster than a Go map.
const fewEntries = 12

// find returns the index of the given key in t.keys and t.values, or -1 if there is none.
func (t *entries) find(key string) int {
	if len(t.keys) <= fewEntries {
		return slices.Index(t.keys, key)
	}
	if at, ok := t.at[key]; ok {
		return at
	}
	return -1
}

// enter enters the next level. It returns false if the data is too deep, because very deep data
// could be cyclic.
func (w *sameWalk) enter() bool {
	if w.depth == maxPlanned {
		w.unsure = true
		return false
	}
	w.depth++
	return true
}

func float64At(p unsafe.Pointer, size uintptr) float64 {
	if size == 4 {
		return float64(*(*float32)(p))
	}
	return *(*float64)(p)
}

// sameNumber reports whether the memory at two addresses is equal. For the sizes of most numbers,
// it is faster than sameBytes. Both addresses must be aligned to the size.
func sameNumber(a, b unsafe.Pointer, size uintptr) bool {
	switch size {
	case 1:
		return *(*uint8)(a) == *(*uint8)(b)
	case 4:
		return *(*uint32)(a) == *(*uint32)(b)
	case 8:
		return *(*uint64)(a) == *(*uint64)(b)
	}
	return sameBytes(a, b, size)
}

func sameBytes(a, b unsafe.Pointer, n uintptr) bool {
	return string(unsafe.Slice((*byte)(a), n)) == string(unsafe.Slice((*byte)(b), n))
}
