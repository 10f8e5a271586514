// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"encoding/json"
	"math"
	"unicode/utf8"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// throughJSON copies an object as the API server gets it: written as JSON and read again.
func throughJSON(object map[string]any) (copied map[string]any, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	err = utiljson.Unmarshal(bytes.TrimSpace(text), &copied)
	return copied, err
}

// copyObject is throughJSON without the JSON where object is what JSON is read as, as it
// nearly always is. nulls says whether there may be any in it.
func copyObject(object map[string]any) (copied map[string]any, nulls bool, err error) {
	var c copier
	if copied, ok := c.value(object, 0); ok {
		m, _ := copied.(map[string]any)
		return m, c.nulls, nil
	}
	copied, err = throughJSON(object)
	return copied, true, err
}

// copier copies values as JSON would make them.
type copier struct{ nulls bool }

// deepest is how deep values may be nested for a copier: JSON may not be much deeper, and
// a value that contains itself is.
const deepest = 500

// value copies a value. ok is false if only JSON can tell what becomes of it.
func (c *copier) value(v any, depth int) (copied any, ok bool) {
	switch x := v.(type) {
	case nil:
		c.nulls = true
		return nil, true
	case bool, int64:
		return v, true
	case string:
		return v, utf8.ValidString(x)
	case int:
		return int64(x), true
	case float64:
		return copyFloat(x)
	case map[string]any:
		if x == nil {
			return c.value(nil, depth)
		}
		if depth == deepest {
			return nil, false
		}
		out := make(map[string]any, len(x))
		for name, below := range x {
			if below, ok = c.value(below, depth+1); !ok || !utf8.ValidString(name) {
				return nil, false
			}
			out[name] = below
		}
		return out, true
	case []any:
		if x == nil {
			return c.value(nil, depth)
		}
		if depth == deepest {
			return nil, false
		}
		out := make([]any, len(x))
		for i, below := range x {
			if out[i], ok = c.value(below, depth+1); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return nil, false
}

// copyFloat is the number that is read of how f is written: an integer if it has neither
// a fraction nor an exponent.
func copyFloat(f float64) (copied any, ok bool) {
	switch {
	case f != math.Trunc(f):
		return f, !math.IsNaN(f)
	case f == 0 || math.Abs(f) >= 1<<62:
		return nil, false // -0 is written as such, and very large ones have an exponent
	}
	return int64(f), true
}
