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

// throughJSON copies an object by encoding it as JSON and decoding the result. An object in a
// request to the API server is encoded and decoded in the same way.
func throughJSON(object map[string]any) (copied map[string]any, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	err = utiljson.Unmarshal(bytes.TrimSpace(text), &copied)
	return copied, err
}

// copyObject returns the same copy as throughJSON, but is usually faster. It copies the
// object directly, and calls throughJSON only if a direct copy could differ. If nulls is
// false, the object contains no nulls.
func copyObject(object map[string]any) (copied map[string]any, nulls bool, err error) {
	var c copier
	if copied, ok := c.value(object, 0); ok {
		m, _ := copied.(map[string]any)
		return m, c.nulls, nil
	}
	copied, err = throughJSON(object)
	return copied, true, err
}

// copier copies values. Its copies are equal to those that throughJSON makes. The copier sets
// nulls to true if it finds a null.
type copier struct{ nulls bool }

// maxCopyDepth is the depth at which a copier gives up and throughJSON takes over. JSON
// documents cannot be nested much deeper. The limit also stops the recursion for a
// value that contains itself.
const maxCopyDepth = 500

// value copies a value. ok is false if only throughJSON can copy it, for example a string
// that is not valid UTF-8.
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
		if depth == maxCopyDepth {
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
		if depth == maxCopyDepth {
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

// copyFloat returns the number that JSON encoding and decoding make of f. The result is an integer if
// the JSON text has no fraction and no exponent. ok is false if copyFloat cannot determine the result.
func copyFloat(f float64) (copied any, ok bool) {
	switch {
	case f != math.Trunc(f):
		return f, !math.IsNaN(f)
	case f == 0 || math.Abs(f) >= 1<<62:
		return nil, false // JSON keeps -0 and writes very large numbers with an exponent, so throughJSON must copy such numbers
	}
	return int64(f), true
}
