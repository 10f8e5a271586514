// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"maps"
	"math"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/box"
)

// Identical reports whether a and b are equal and have the same Go types at every level, so that
// one can replace the other. Examples of values that are not identical are 1 and 1.0, 0 and -0,
// and a nil map and an empty map. Identical returns false for every map[any]any.
func Identical(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && (x == nil) == (y == nil) && (box.SameMap(x, y) || maps.EqualFunc(x, y, Identical))
	case []any:
		y, ok := b.([]any)
		return ok && (x == nil) == (y == nil) && (box.SameList(x, y) || slices.EqualFunc(x, y, Identical))
	case string, int64, bool:
		return SameScalar(a, b)
	case float64:
		// Compare bits, because 0 and -0 are equal as floats but print differently.
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case float32:
		y, ok := b.(float32)
		return ok && math.Float32bits(x) == math.Float32bits(y)
	case nil, int, int32, int16, int8, uint, uint32, uint16, uint8:
		return a == b
	}
	return false
}

// SameMemory reports whether a and b are the same map or list in memory, or identical scalars. Two
// empty lists are the same if both are nil or neither is nil.
func SameMemory(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && box.SameMap(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && box.SameList(x, y) && (x == nil) == (y == nil)
	case map[any]any:
		y, ok := b.(map[any]any)
		return ok && box.SameMap(x, y)
	}
	return Identical(a, b)
}

// SameScalar reports whether v and u are the same string, int64 or bool. For other values it
// may return false negatives.
func SameScalar(v, u any) bool {
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
