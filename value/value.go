// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "reflect"

// Value is a node of a document: a map, a list, a scalar or null. A value for
// which every IsXXX method is false is undefined; it comes from Go data that
// no document can hold.
//
// A method AsXXX panics unless the corresponding IsXXX is true. Values may be
// read by several goroutines at once; those handed out by an iteration are
// valid until the iteration moves on.
type Value interface {
	// IsMap reports whether the value is a map or a struct.
	IsMap() bool
	// IsList reports whether the value is a list.
	IsList() bool
	// IsBool reports whether the value is a boolean.
	IsBool() bool
	// IsInt reports whether the value is an integer.
	IsInt() bool
	// IsFloat reports whether the value is a floating point number.
	IsFloat() bool
	// IsString reports whether the value is a string.
	IsString() bool
	// IsNull reports whether the value is null.
	IsNull() bool

	// AsMap returns the value as a Map, which writes through to the value.
	AsMap() Map
	// AsMapUsing is AsMap.
	//
	// Deprecated: the allocator is ignored; use AsMap.
	AsMapUsing(Allocator) Map
	// AsList returns the value as a List.
	AsList() List
	// AsListUsing is AsList.
	//
	// Deprecated: the allocator is ignored; use AsList.
	AsListUsing(Allocator) List
	// AsBool returns the value as a bool.
	AsBool() bool
	// AsInt returns the value as an int64.
	AsInt() int64
	// AsFloat returns the value as a float64.
	AsFloat() float64
	// AsString returns the value as a string. Bytes are base64.
	AsString() string

	// Unstructured returns the value as plain Go data: nil, bool, int64,
	// float64, string, []interface{}, map[string]interface{}. A value that
	// wraps plain data returns what it wraps, without copying; a value that
	// wraps a struct builds fresh maps and lists.
	Unstructured() interface{}
}

// kind is what a value is, in the order that Compare gives to kinds.
type kind uint8

const (
	floatKind kind = iota
	intKind
	stringKind
	boolKind
	listKind
	mapKind
	nullKind
	undefinedKind
)

// kindOf asks v what it is. Of several answers the first in the order of the
// kinds counts.
func kindOf(v Value) kind {
	if v, ok := v.(*valueUnstructured); ok {
		return kindOfUnstructured(v.Value)
	}
	switch {
	case v.IsFloat():
		return floatKind
	case v.IsInt():
		return intKind
	case v.IsString():
		return stringKind
	case v.IsBool():
		return boolKind
	case v.IsList():
		return listKind
	case v.IsMap():
		return mapKind
	case v.IsNull():
		return nullKind
	}
	return undefinedKind
}

// number is a number of unstructured data: an int or a float. Any other kind
// than those two says that it is none.
type number struct {
	i    int64
	f    float64
	kind kind
}

// numberOf returns the number that v is. uint64 is none, since it may not fit.
func numberOf(v any) number {
	switch v := v.(type) {
	case int64:
		return number{i: v, kind: intKind}
	case float64:
		return number{f: v, kind: floatKind}
	case int:
		return number{i: int64(v), kind: intKind}
	case int32:
		return number{i: int64(v), kind: intKind}
	case float32:
		return number{f: float64(v), kind: floatKind}
	case int8, int16:
		return number{i: reflect.ValueOf(v).Int(), kind: intKind}
	case uint, uint8, uint16, uint32:
		return number{i: int64(reflect.ValueOf(v).Uint()), kind: intKind}
	}
	return number{kind: undefinedKind}
}

// numberIn returns the number that v is, which is of kind k.
func numberIn(v Value, k kind) number {
	if k == intKind {
		return number{i: v.AsInt(), kind: k}
	}
	return number{f: v.AsFloat(), kind: k}
}

func (n number) float() float64 {
	if n.kind == intKind {
		return float64(n.i)
	}
	return n.f
}

func (n number) equal(m number) bool {
	if n.kind == intKind && m.kind == intKind {
		return n.i == m.i
	}
	return n.float() == m.float()
}

func (n number) compare(m number) int {
	if n.kind == intKind && m.kind == intKind {
		return IntCompare(n.i, m.i)
	}
	return FloatCompare(n.float(), m.float())
}

// kindOfUnstructured returns what v is, once wrapped by NewValueInterface.
func kindOfUnstructured(v any) kind {
	switch v.(type) {
	case nil:
		return nullKind
	case string:
		return stringKind
	case bool:
		return boolKind
	case []any:
		return listKind
	case map[string]any, map[any]any:
		return mapKind
	}
	return numberOf(v).kind
}
