// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"maps"
	"slices"
)

// A value is nil, which is null, a bool, an int64, a float64, a string, a []any or a
// map[string]any, as JSON has them; or Absent.
type absent struct{}

// Absent is where there is no value, not even null.
var Absent any = absent{}

func isAbsent(v any) bool { return v == Absent }

func items(v any) []any {
	list, _ := v.([]any)
	return list
}

func fields(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// field returns what a map has under a name.
func field(v any, name string) any {
	if f, ok := fields(v)[name]; ok {
		return f
	}
	return Absent
}

// names returns the names of the fields of some maps, sorted.
func names(vs ...any) []string {
	all := map[string]bool{}
	for _, v := range vs {
		for name := range fields(v) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// equal: numbers by what they count, lists in order, maps in none. Rule V2.
func equal(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	case int64:
		if b, ok := b.(float64); ok {
			return float64(a) == b
		}
	case float64:
		if b, ok := b.(int64); ok {
			return a == float64(b)
		}
	}
	return a == b
}
