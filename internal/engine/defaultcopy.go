// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import "github.com/dovetail-ssa/dovetail/internal/diag"

// made returns a copy of a default.
func (d *defaulter) made(def any) any {
	d.added += size(def)
	if d.added > MaxDefaults && d.wrong == nil {
		d.wrong = diag.Newf(diag.BadSchema, "defaults add more than %d values", MaxDefaults)
	}
	return plainCopy(def)
}

// plainCopy returns a copy of a default in the form that decoded JSON has,
// whatever decoder the schema came from.
func plainCopy(def any) any {
	switch x := def.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for name, c := range x {
			out[name] = plainCopy(c)
		}
		return out
	case map[any]any:
		return plainCopy(asMap(x))
	case []any:
		out := make([]any, len(x))
		for i, c := range x {
			out[i] = plainCopy(c)
		}
		return out
	case int:
		return int64(x)
	case int32:
		return int64(x)
	case float32:
		return float64(x)
	}
	return def
}

// size returns how many values v is.
func size(v any) int {
	n := 1
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			n += size(c)
		}
	case map[any]any:
		for _, c := range x {
			n += size(c)
		}
	case []any:
		for _, c := range x {
			n += size(c)
		}
	}
	return n
}
