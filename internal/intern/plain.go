// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package intern

import (
	"maps"
	"math"
	"slices"
)

// maxDepth is the maximum nesting of lists and maps that SamePlain compares.
const maxDepth = 32

// SamePlain reports whether two values of decoded JSON or YAML are identical at every level.
// The Go types and the signs of zeros must be the same, and nil differs from empty. It returns
// false for values of other types, and for values with more than 32 levels.
func SamePlain(a, b any) bool { return samePlain(a, b, maxDepth) }

func samePlain(a, b any, depth int) bool {
	below := func(a, b any) bool { return samePlain(a, b, depth-1) }
	switch a := a.(type) {
	case nil:
		return b == nil
	case string, bool, int, int64, uint64:
		return a == b
	case float64:
		b, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	case []any:
		b, ok := b.([]any)
		return ok && (a == nil) == (b == nil) && depth > 0 && slices.EqualFunc(a, b, below)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && (a == nil) == (b == nil) && depth > 0 && maps.EqualFunc(a, b, below)
	}
	return false
}
