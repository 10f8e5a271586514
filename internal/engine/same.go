// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"unsafe"
)

// sameMap says whether a and b are one map in memory. Comparing them would
// find nothing.
func sameMap(a, b map[string]any) bool {
	return *(*unsafe.Pointer)(unsafe.Pointer(&a)) == *(*unsafe.Pointer)(unsafe.Pointer(&b))
}

// addressOf is a number that is the same for one map in memory.
func addressOf(m map[string]any) uint64 {
	return uint64(uintptr(*(*unsafe.Pointer)(unsafe.Pointer(&m))))
}

// sameList says whether a and b are one list in memory.
func sameList(a, b []any) bool {
	return len(a) == len(b) && (len(a) == 0 || unsafe.SliceData(a) == unsafe.SliceData(b))
}

// identical says whether a and b could stand for one another to the last bit:
// equal, and of the same Go types, so that 1 and 1.0 are not.
func identical(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) || (x == nil) != (y == nil) {
			return false
		}
		if sameMap(x, y) {
			return true
		}
		for k, v := range x {
			u, ok := y[k]
			if !ok || !identical(v, u) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) || (x == nil) != (y == nil) {
			return false
		}
		if sameList(x, y) {
			return true
		}
		for i := range x {
			if !identical(x[i], y[i]) {
				return false
			}
		}
		return true
	case string:
		y, ok := b.(string)
		return ok && x == y
	case int64:
		y, ok := b.(int64)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case float64:
		// 0 and -0 are equal and print differently.
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case float32:
		y, ok := b.(float32)
		return ok && math.Float32bits(x) == math.Float32bits(y)
	case nil:
		return b == nil
	case int, int32, int16, int8, uint, uint32, uint16, uint8:
		return a == b
	}
	return false
}

// sameHeader says whether two containers are one in memory, or two other values
// the same.
func sameHeader(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && sameMap(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && sameList(x, y) && (x == nil) == (y == nil)
	case map[any]any:
		y, ok := b.(map[any]any)
		return ok && *(*unsafe.Pointer)(unsafe.Pointer(&x)) == *(*unsafe.Pointer)(unsafe.Pointer(&y))
	}
	return identical(a, b)
}

// sameScalar says whether v and u are the same scalar. No schema is needed to
// know that they do not differ.
func sameScalar(v, u any) bool {
	switch x := v.(type) {
	case string:
		y, ok := u.(string)
		return ok && x == y
	case int64:
		y, ok := u.(int64)
		return ok && x == y
	case bool:
		y, ok := u.(bool)
		return ok && x == y
	}
	return false
}
