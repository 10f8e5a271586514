// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "reflect"

// Value is a node of a document: a map, a list, a scalar or null. If every IsXXX method returns
// false, the value is undefined: it wraps Go data that a document cannot contain.
//
// An AsXXX method panics if the corresponding IsXXX method returns false. Any number of goroutines may
// read the same Value. A Value that is passed to a callback of an iteration is valid only until the
// callback returns.
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

	// AsMap returns the value as a Map. If you change the Map, the value changes, too.
	AsMap() Map
	// AsMapUsing does the same as AsMap.
	//
	// Deprecated: the allocator is ignored; use AsMap.
	AsMapUsing(Allocator) Map
	// AsList returns the value as a List.
	AsList() List
	// AsListUsing does the same as AsList.
	//
	// Deprecated: the allocator is ignored; use AsList.
	AsListUsing(Allocator) List
	// AsBool returns the value as a bool.
	AsBool() bool
	// AsInt returns the value as an int64.
	AsInt() int64
	// AsFloat returns the value as a float64.
	AsFloat() float64
	// AsString returns the value as a string. A []byte is encoded in base64.
	AsString() string

	// Unstructured returns the value as plain Go data: nil, bool, int64,
	// float64, string, []interface{}, map[string]interface{}. A value that
	// wraps plain data returns that data without copying it. A value that
	// wraps a struct returns new maps and lists.
	Unstructured() interface{}
}

// kind is the kind of a value. Compare orders values of different kinds by kind, except numbers.
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

// kindOf returns the kind of v. If several IsXXX methods return true, it returns the smallest of
// these kinds.
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

// number is an integer or a float. If kind is intKind, the number is i. If kind is floatKind, the
// number is f. Any other kind means that the value is not a number.
type number struct {
	i    int64
	f    float64
	kind kind
}

// numberOf returns v as a number. It does not treat a uint64 as a number, because large values
// do not fit into an int64.
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

// numberIn returns v as a number. k must be the kind of v, and either intKind or floatKind.
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

// kindOfUnstructured returns the kind of NewValueInterface(v).
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
