// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"
)

// Of returns plain data as YAML on one line, for messages. It sorts maps by key, and quotes a
// string if YAML would otherwise read it as a different type. It writes "?" for a value that is not
// plain data. Of stops soon after the text has the given number of bytes, so that a large value
// costs no more than a small one. But it does not cut the text to this length (see Short).
func Of(v any, most int) string {
	f := writer{most: most}
	f.value(v)
	return f.String()
}

// Short is like Of, but cuts a text that has more than the given number of bytes (see Cut).
func Short(v any, most int) string { return Cut(Of(v, most), most) }

// Cut returns s if it has at most the given number of bytes. Otherwise it cuts s to this number of
// bytes or less, without splitting a character, and adds an ellipsis.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

type writer struct {
	strings.Builder
	most int
}

func (f *writer) value(v any) {
	switch v := v.(type) {
	case map[string]any:
		f.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if f.Len() > f.most {
				return
			}
			if i > 0 {
				f.WriteString(", ")
			}
			f.WriteString(Scalar(k) + ": ")
			f.value(v[k])
		}
		f.WriteByte('}')
	case map[any]any:
		m := make(map[string]any, len(v))
		for k, field := range v {
			m[Scalar(k)] = field
		}
		f.value(m)
	case []any:
		f.WriteByte('[')
		for i, c := range v {
			if f.Len() > f.most {
				return
			}
			if i > 0 {
				f.WriteString(", ")
			}
			f.value(c)
		}
		f.WriteByte(']')
	default:
		f.WriteString(Scalar(v))
	}
}

// Scalar returns a scalar as YAML on one line.
func Scalar(v any) string {
	if s, ok := v.(string); ok && strings.ContainsAny(s, "\n\r,[]{}#&*!|>'\"%@`") {
		quoted, _ := json.Marshal(s) // json.Marshal returns no error for a string
		return string(quoted)
	}
	switch v := v.(type) { // handle simple scalars here, because the YAML encoder allocates kilobytes
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	if k := reflect.ValueOf(v).Kind(); k > reflect.Float64 && k != reflect.String {
		return "?" // the YAML encoder panics for some types, such as chan int
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		return "?"
	}
	return strings.TrimSuffix(string(text), "\n")
}

// Unquoted returns the value that Kubernetes reads from text in YAML: a string, a boolean, an
// int64, a float64 or nil. ok is false if the text is not a scalar.
func Unquoted(text string) (v any, ok bool) {
	if yaml.Unmarshal([]byte(text), &v) != nil {
		return nil, false
	}
	switch n := v.(type) {
	case int:
		return int64(n), true
	case uint64:
		return float64(n), true
	case nil, string, bool, int64, float64:
		return v, true
	}
	return nil, false
}
