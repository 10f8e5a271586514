// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"math"
	"testing"
)

// TestIdentical checks that each value is identical to its copy, and to no other value.
// Values of different Go types must differ, and so must 0 and -0.
func TestIdentical(t *testing.T) {
	values := []func() any{
		func() any { return nil }, func() any { return "a" }, func() any { return "" }, func() any { return true }, func() any { return false },
		func() any { return int64(1) }, func() any { return int64(0) }, func() any { return 1 }, func() any { return int32(1) }, func() any { return uint8(1) },
		func() any { return 1.0 }, func() any { return 0.0 }, func() any { return math.Copysign(0, -1) }, func() any { return math.NaN() },
		func() any { return float32(1) }, func() any { return float32(0) }, func() any { return float32(math.Copysign(0, -1)) }, func() any { return float32(math.NaN()) },
		func() any { return []any(nil) }, func() any { return []any{} }, func() any { return []any{nil} }, func() any { return []any{"a", int64(1)} },
		func() any { return map[string]any(nil) }, func() any { return map[string]any{} }, func() any { return map[string]any{"a": nil} },
		func() any { return map[string]any{"a": []any{1.0}} }, func() any { return map[string]any{"b": []any{1.0}} }, func() any { return map[string]any{"a": []any{int64(1)}} },
	}
	for i := range values {
		for j := range values {
			if got := Identical(values[i](), values[j]()); got != (i == j) {
				t.Errorf("%#v and %#v: %v", values[i](), values[j](), got)
			}
		}
	}
}
