// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

import "github.com/dovetail-ssa/dovetail/test/differential/tree"

// Tweak returns a changed copy of an object, as if a user had edited it. It drops, empties,
// repeats, reorders or replaces values in the object.
func Tweak(s *Source, m *Model, r Ref, v any) any {
	out := tree.Copy(v)
	for i, n := 0, 1+s.N(3); i < n; i++ {
		if s.Chance(1, 3) {
			out = overlay(out, NewObject(s, m, r, false), s)
			continue
		}
		out = tweak(s, out, 0)
	}
	return out
}

func tweak(s *Source, v any, depth int) any {
	switch t := v.(type) {
	case map[string]any:
		keys := tree.Keys(t)
		if len(keys) == 0 {
			return v
		}
		k := keys[s.N(len(keys))]
		switch child := t[k].(type) {
		case map[string]any, []any:
			if s.Chance(3, 4) {
				t[k] = tweak(s, child, depth+1)
				return v
			}
		}
		switch s.weighted(5, 1, 1, 2) {
		case 1:
			t[k] = nil
		case 2:
			t[k] = emptied(t[k])
		case 3:
			t[k] = changed(s, t[k])
		default:
			delete(t, k)
		}
	case []any:
		if len(t) == 0 {
			return v
		}
		i := s.N(len(t))
		switch t[i].(type) {
		case map[string]any, []any:
			if s.Chance(1, 2) {
				t[i] = tweak(s, t[i], depth+1)
				return v
			}
		}
		switch s.weighted(5, 2, 1, 1, 1) {
		case 1: // rotate the list
			return append(append([]any{}, t[i:]...), t[:i]...)
		case 2:
			return append(t, tree.Copy(t[i]))
		case 3:
			t[i] = changed(s, t[i])
		case 4:
			return []any{}
		default:
			return append(append([]any{}, t[:i]...), t[i+1:]...)
		}
	}
	return v
}

func emptied(v any) any {
	switch v.(type) {
	case map[string]any:
		return map[string]any{}
	case []any:
		return []any{}
	case string:
		return ""
	case int64:
		return int64(0)
	}
	return v
}

func changed(s *Source, v any) any {
	switch t := v.(type) {
	case string:
		return Pick(s, "b", "c", "changed", "")
	case int64:
		if s.Chance(1, 2) {
			return float64(t)
		}
		return t + 1
	case float64:
		if s.Chance(1, 2) {
			return int64(t)
		}
		return t + 0.5
	case bool:
		return !t
	}
	return v
}

// overlay adds the fields of the second value to the first value. If both have the same field,
// overlay takes one of the two values at random.
func overlay(v, over any, s *Source) any {
	a, ok := v.(map[string]any)
	b, ok2 := over.(map[string]any)
	if !ok || !ok2 {
		if s.N(2) == 0 {
			return v
		}
		return over
	}
	for _, k := range tree.Keys(b) {
		if old, ok := a[k]; ok {
			a[k] = overlay(old, b[k], s)
		} else {
			a[k] = b[k]
		}
	}
	return a
}
