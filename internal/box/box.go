// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package box makes interface values that refer to memory there is already, so that
// many of them take one allocation, and says whether two maps or lists are one in memory.
package box

import "unsafe"

// boxed is how Go lays out an interface value of a type that is no pointer:
// the type and where the data is. Everything that depends on it is in this
// file, and TestBox fails if it ever changes.
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

// String returns *p as an interface value that refers to p instead of a copy
// of its own. *p must not be written to afterwards.
func String(p *string) (v any) {
	*(*boxed)(unsafe.Pointer(&v)) = boxed{stringKind, unsafe.Pointer(p)}
	return v
}

// Float is String for a number.
func Float(p *float64) (v any) {
	*(*boxed)(unsafe.Pointer(&v)) = boxed{floatKind, unsafe.Pointer(p)}
	return v
}
