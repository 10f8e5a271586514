// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"maps"
	"slices"
)

// A value in this package is nil (JSON null), bool, int64, float64, string, []any,
// map[string]any, or Absent.
type absent struct{}

// Absent stands for a missing value. It differs from null, which is nil.
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

// field returns the value of a field in a map, or Absent.
func field(v any, name string) any {
	if f, ok := fields(v)[name]; ok {
		return f
	}
	return Absent
}

// names returns the names of the fields in all of the given maps, sorted and without duplicates.
func names(vs ...any) []string {
	all := map[string]bool{}
	for _, v := range vs {
		for name := range fields(v) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// equal compares numbers by value, lists in order, and maps in any order (rule V2).
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
