// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import "testing"

func TestIsTooDeep(t *testing.T) {
	for kind, wrap := range map[string]func(any) any{
		"map":        func(v any) any { return map[string]any{"x": 1, "a": v} },
		"list":       func(v any) any { return []any{1, v} },
		"YAML map":   func(v any) any { return map[any]any{"a": v} },
		"other keys": func(v any) any { return map[any]any{1: v} },
	} {
		var v any = "x"
		for range MaxDepth {
			v = wrap(v)
		}
		if IsTooDeep(v) {
			t.Errorf("%s: %d levels are too deep", kind, MaxDepth)
		}
		if n := testing.AllocsPerRun(1, func() { IsTooDeep(v) }); n != 0 {
			t.Errorf("%s: the check allocates %v times", kind, n)
		}
		if !IsTooDeep(wrap(v)) {
			t.Errorf("%s: %d levels are not too deep", kind, MaxDepth+1)
		}
		for range 100_000 {
			v = wrap(v)
		}
		if !IsTooDeep(v) {
			t.Errorf("%s: 110,000 levels are not too deep", kind)
		}
	}
}
