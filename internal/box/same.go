// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package box

import "unsafe"

// SameMap says whether a and b are one map in memory, or both nil. Comparing them
// would find nothing.
func SameMap[M ~map[K]V, K comparable, V any](a, b M) bool { return MapAddress(a) == MapAddress(b) }

// MapAddress is where a map is. It may serve as a key as long as the map is in use.
func MapAddress[M ~map[K]V, K comparable, V any](m M) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m)) // a map is a pointer
}

// SameList says whether a and b are one list in memory, or both without items.
func SameList[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
