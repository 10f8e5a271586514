// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"maps"
	"reflect"
	"sync"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/value"
)

// This file says of two Go values of one type whether they are the same in memory,
// and in all that they refer to, so that their plain forms are equal: what
// converts itself is taken to make the same of the same. False may mean
// unknown.

// sameness is how to find out for one type.
type sameness struct {
	typ reflect.Type
	how how
	// size is that of the value, or of an item of a list.
	size uintptr
	// elem is what pointers and lists hold.
	elem *sameness
	// parts are those of a struct.
	parts []part
	// reflexive says that the same memory is equal to itself. A float may not
	// be.
	reflexive bool
}

// part is one field of a struct.
type part struct {
	*sameness
	offset uintptr
}

type how uint8

const (
	byByte how = iota
	byFloat
	byText
	byPointer
	byItem
	byPart
	byTextMap
	deeply
)

var samenesses sync.Map // of reflect.Type to *sameness

func samenessOf(t reflect.Type) *sameness {
	if l, ok := samenesses.Load(t); ok {
		return l.(*sameness)
	}
	l := samenessMaker{}.make(t)
	samenesses.Store(t, l)
	return l
}

var fieldParts sync.Map // of reflect.Type to []part

// partsOf returns how to compare the fields of a struct, each by itself. There is no
// sameness for one that a pointer to an embedded struct leads to.
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

// samenessMaker knows the samenesses of a type. Types may hold themselves.
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

// same compares what is at two places, depth levels deep.
func (l *sameness) same(a, b unsafe.Pointer, depth int) bool {
	if a == b && l.reflexive {
		return true
	}
	switch l.how {
	case byByte:
		return sameBytes(a, b, l.size)
	case byFloat:
		if l.size == 4 {
			return *(*float32)(a) == *(*float32)(b)
		}
		return *(*float64)(a) == *(*float64)(b)
	case byText:
		return *(*string)(a) == *(*string)(b)
	case byPointer:
		x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		if x == nil || y == nil {
			return x == y
		}
		return depth < maxPlanned && l.elem.same(x, y, depth+1)
	case byItem:
		x, y := (*sliceHeader)(a), (*sliceHeader)(b)
		if x.len != y.len || (x.data == nil) != (y.data == nil) || depth >= maxPlanned {
			return false
		}
		if x.data == y.data && l.reflexive {
			return true
		}
		if l.elem.how == byByte {
			return sameBytes(x.data, y.data, uintptr(x.len)*l.size)
		}
		for i := range x.len {
			offset := uintptr(i) * l.size
			if !l.elem.same(unsafe.Add(x.data, offset), unsafe.Add(y.data, offset), depth+1) {
				return false
			}
		}
		return true
	case byPart:
		for i := range l.parts {
			p := &l.parts[i]
			if !p.same(unsafe.Add(a, p.offset), unsafe.Add(b, p.offset), depth) {
				return false
			}
		}
		return true
	case byTextMap:
		x, y := *(*map[string]string)(a), *(*map[string]string)(b)
		return (x == nil) == (y == nil) && maps.Equal(x, y)
	}
	return reflect.DeepEqual(reflect.NewAt(l.typ, a).Interface(), reflect.NewAt(l.typ, b).Interface())
}

func sameBytes(a, b unsafe.Pointer, n uintptr) bool {
	return string(unsafe.Slice((*byte)(a), n)) == string(unsafe.Slice((*byte)(b), n))
}
