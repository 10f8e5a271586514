// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"
)

// ToJSON returns a value as a JSON document without spaces. Keys are sorted.
// <, > and &, U+2028 and U+2029 are escaped in strings and keys, bytes that
// are no UTF-8 become U+FFFD. Floats from 1e21 and below 1e-6 are written with
// an exponent of at least two digits.
//
// It returns an error for a NaN or an infinity, for Go data that has no JSON,
// and for data nested deeper than 10,000 levels.
func ToJSON(v Value) ([]byte, error) {
	b, err := appendJSON(nil, v.Unstructured(), 0)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// ToYAML returns a value as a YAML document, or an error if it is nested
// deeper than 10,000 levels or holds something that YAML has no form for.
func ToYAML(v Value) (doc []byte, err error) {
	u := v.Unstructured()
	if tooDeep(u, 0) {
		return nil, errTooDeep
	}
	// The encoder panics on types that it does not know, complex128 for one.
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("value cannot be written as YAML: %v", r)
		}
	}()
	return yaml.Marshal(u)
}

var errTooDeep = fmt.Errorf("exceeded max depth of %d", maxDepth)

func tooDeep(v any, depth int) bool {
	if depth > maxDepth {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if tooDeep(e, depth+1) {
				return true
			}
		}
	case map[any]any:
		for _, e := range v {
			if tooDeep(e, depth+1) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if tooDeep(e, depth+1) {
				return true
			}
		}
	}
	return false
}

// appendJSON appends plain data, or whatever it is, to b.
func appendJSON(b []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case string:
		return appendJSONString(b, v), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case float64:
		return appendFloat(b, v, 64)
	case float32:
		return appendFloat(b, float64(v), 32)
	case map[string]any:
		return appendObject(b, v, depth)
	case []any:
		return appendArray(b, v, depth)
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case int32:
		return strconv.AppendInt(b, int64(v), 10), nil
	case []byte:
		if v == nil {
			return append(b, "null"...), nil
		}
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, v)
		return append(b, '"'), nil
	}
	return appendOther(b, v, depth)
}

func appendFloat(b []byte, f float64, bits int) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return b, fmt.Errorf("unsupported value: %f", f)
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 {
		if a < 1e-6 || a >= 1e21 {
			format = 'e'
		}
		// The bounds are those of the type.
		if bits == 32 {
			format = 'f'
			if float32(a) < 1e-6 || float32(a) >= 1e21 {
				format = 'e'
			}
		}
	}
	return strconv.AppendFloat(b, f, format, -1, bits), nil
}

func appendArray(b []byte, list []any, depth int) ([]byte, error) {
	if list == nil {
		return append(b, "null"...), nil
	}
	if depth >= maxDepth {
		return b, errTooDeep
	}
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendJSON(b, v, depth+1); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func appendObject(b []byte, object map[string]any, depth int) ([]byte, error) {
	if object == nil {
		return append(b, "null"...), nil
	}
	if depth >= maxDepth {
		return b, errTooDeep
	}
	var few [16]string
	b = append(b, '{')
	for i, k := range sortedKeys(few[:0], object) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONString(b, k), ':')
		var err error
		if b, err = appendJSON(b, object[k], depth+1); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// sortedKeys appends the keys of object to keys, in the order in which they read
// in the document.
func sortedKeys(keys []string, object map[string]any) []string {
	for k := range object {
		keys = append(keys, k)
	}
	sortKeys(keys)
	return keys
}

func sortKeys(keys []string) {
	if slices.ContainsFunc(keys, func(k string) bool { return !utf8.ValidString(k) }) {
		slices.SortFunc(keys, compareKeys)
		return
	}
	slices.Sort(keys)
}

// compareKeys orders keys as they read in the document, where what is no UTF-8
// is U+FFFD.
func compareKeys(a, b string) int {
	if utf8.ValidString(a) && utf8.ValidString(b) {
		return strings.Compare(a, b)
	}
	if c := strings.Compare(string([]rune(a)), string([]rune(b))); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

const hexDigits = "0123456789abcdef"

// needsEscape reports whether an ASCII byte is escaped in strings.
func needsEscape(c byte) bool {
	return c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&'
}

// appendJSONString appends a quoted string.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if needsEscape(c) {
				b = append(b, s[done:i]...)
				b = appendEscape(b, c)
				done = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(append(b, s[done:i]...), `\ufffd`...)
			done = i + size
		case r == '\u2028' || r == '\u2029':
			b = append(append(b, s[done:i]...), `\u202`...)
			b = append(b, hexDigits[r&0xf])
			done = i + size
		}
		i += size
	}
	return append(append(b, s[done:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
