// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package box

import "unsafe"

// SameMap says whether a and b are one map in memory, or both nil. Comparing them
// would find nothing.
func SameMap[M ~map[K]V, K comparable, V any](a, b M) bool { return MapAddress(a) == MapAddress(b) }

// Address is where a map or list is. It may serve as a key, and keeps in memory what is
// there. Nil is where nothing is.
type Address unsafe.Pointer

// MapAddress is where a map is.
func MapAddress[M ~map[K]V, K comparable, V any](m M) Address {
	return *(*Address)(unsafe.Pointer(&m)) // a map is a pointer
}

// ListAddress is where a list with items is.
func ListAddress[T any](s []T) Address { return Address(&s[0]) }

// SameList says whether a and b are one list in memory, or both without items.
func SameList[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
