// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package box creates interface values without allocating memory, and compares maps and lists by
// address. It depends on the memory layout of Go's interface values and maps. For example,
// [String] creates an interface value that refers to existing memory, so that many interface
// values can share one allocation:
//
//	texts := []string{"a", "b"}
//	v := box.String(&texts[0]) // any("a")
//
// [Text] converts bytes to a string without copying them. [SameMap] and [SameList] report
// whether two maps or two lists are the same in memory. The package never reads the contents of
// maps and lists. TestLayout fails if a Go version uses a different layout.
package box

import "unsafe"

// boxed is the memory layout of an interface value that contains a non-pointer: the type, and a
// pointer to the data.
type boxed struct {
	kind unsafe.Pointer
	data unsafe.Pointer
}

var (
	stringSample any = ""
	floatSample  any = 0.0
	stringKind       = (*boxed)(unsafe.Pointer(&stringSample)).kind
	floatKind        = (*boxed)(unsafe.Pointer(&floatSample)).kind
)

// String returns *p as an interface value that does not copy *p but refers to it. Nobody may
// write to *p after the call.
func String(p *string) (v any) {
	*(*boxed)(unsafe.Pointer(&v)) = boxed{stringKind, unsafe.Pointer(p)}
	return v
}

// Text returns b as a string without copying b. Nobody may write to b after the call.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Float returns *p as an interface value that does not copy *p but refers to it. Nobody may
// write to *p after the call.
func Float(p *float64) (v any) {
	*(*boxed)(unsafe.Pointer(&v)) = boxed{floatKind, unsafe.Pointer(p)}
	return v
}

// SameMap reports whether two maps are the same map in memory, or both nil. It does not compare
// their contents.
func SameMap[M ~map[K]V, K comparable, V any](a, b M) bool { return MapAddress(a) == MapAddress(b) }

// Address is the address of a map or list. It is nil for a nil map. An Address can be a key of a
// Go map, and keeps the map or list in memory.
type Address unsafe.Pointer

// MapAddress returns the address of a map.
func MapAddress[M ~map[K]V, K comparable, V any](m M) Address {
	return *(*Address)(unsafe.Pointer(&m)) // a map is a pointer in memory
}

// ListAddress returns the address of the first item of a list. The list must not be empty.
func ListAddress[T any](s []T) Address { return Address(&s[0]) }

// SameList reports whether two lists are the same list in memory, or both empty.
func SameList[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
