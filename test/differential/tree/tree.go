// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package tree represents plain data (nil, bool, string, numbers, lists, maps) for test cases.
//
// A base tree consists only of nil, bool, string, int64, float64, []any and map[string]any.
// Text prints any tree. For a base tree, the text is YAML, which Parse reads. This YAML is
// also JSON, unless the tree has special floats such as NaN. If a value has a type that a base
// tree does not allow, Text also prints its Go type. So two trees have the same text only if
// they are equal.
package tree

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	yaml "go.yaml.in/yaml/v2"
)

// Text returns a tree as text.
func Text(v any) string { return string(Append(nil, v)) }

// Append appends the text of a tree to a slice of bytes.
func Append(b []byte, v any) []byte {
	switch t := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, t)
	case string:
		return appendString(b, t)
	case int64:
		return strconv.AppendInt(b, t, 10)
	case float64:
		return appendFloat(b, t)
	case []any:
		if t == nil {
			return append(b, "!nil []"...)
		}
		b = append(b, '[')
		for i, item := range t {
			if i > 0 {
				b = append(b, ',')
			}
			b = Append(b, item)
		}
		return append(b, ']')
	case map[string]any:
		if t == nil {
			return append(b, "!nil {}"...)
		}
		b = append(b, '{')
		for i, k := range Keys(t) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, k), ':')
			b = Append(b, t[k])
		}
		return append(b, '}')
	case map[any]any:
		return appendAnyMap(b, t)
	}
	return fmt.Appendf(b, "!%T %v", v, v)
}

func appendAnyMap(b []byte, m map[any]any) []byte {
	entries := make([]string, 0, len(m))
	for k, v := range m {
		entries = append(entries, string(Append(append(Append(nil, k), ':'), v)))
	}
	sort.Strings(entries)
	b = append(b, "!any{"...)
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e...)
	}
	return append(b, '}')
}

// Keys returns the keys of a map, sorted.
func Keys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, ".nan"...)
	case math.IsInf(f, 1):
		return append(b, ".inf"...)
	case math.IsInf(f, -1):
		return append(b, "-.inf"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, 64)
	for _, c := range b[start:] {
		if c == '.' || c == 'e' {
			return b
		}
	}
	return append(b, ".0"...)
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffd:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

// Parse parses the text of a base tree.
func Parse(text string) (any, error) {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	return Base(v)
}

// Base converts data to a base tree, for example the output of a YAML decoder.
func Base(v any) (any, error) {
	switch t := v.(type) {
	case int:
		return int64(t), nil
	case []any:
		out := make([]any, len(t))
		for i, item := range t {
			b, err := Base(item)
			if err != nil {
				return nil, err
			}
			out[i] = b
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, item := range t {
			b, err := Base(item)
			if err != nil {
				return nil, err
			}
			out[k] = b
		}
		return out, nil
	case map[any]any:
		out := make(map[string]any, len(t))
		for k, item := range t {
			name, ok := k.(string)
			if !ok {
				return nil, fmt.Errorf("key %v is not a string", k)
			}
			b, err := Base(item)
			if err != nil {
				return nil, err
			}
			out[name] = b
		}
		return out, nil
	case nil, bool, string, int64, float64:
		return v, nil
	}
	return nil, fmt.Errorf("not a base tree: %T", v)
}

// Copy returns a copy of a tree with new maps and lists.
func Copy(v any) any {
	switch t := v.(type) {
	case []any:
		if t == nil {
			return v
		}
		out := make([]any, len(t))
		for i, item := range t {
			out[i] = Copy(item)
		}
		return out
	case map[string]any:
		if t == nil {
			return v
		}
		out := make(map[string]any, len(t))
		for k, item := range t {
			out[k] = Copy(item)
		}
		return out
	case map[any]any:
		if t == nil {
			return v
		}
		out := make(map[any]any, len(t))
		for k, item := range t {
			out[k] = Copy(item)
		}
		return out
	}
	return v
}

// Equal reports whether two trees are equal and have the same Go types.
func Equal(a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case float64:
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case bool, string, int64:
		return a == b
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) || (x == nil) != (y == nil) {
			return false
		}
		for i := range x {
			if !Equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) || (x == nil) != (y == nil) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	}
	return Text(a) == Text(b)
}
