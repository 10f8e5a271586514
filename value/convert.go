// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// CanConvertToUnstructured reports whether values of the type, or pointers to
// them, convert themselves: they implement json.Marshaler,
// UnstructuredConverter or UnstructuredConverterWithError.
func (e TypeReflectCacheEntry) CanConvertToUnstructured() bool {
	return e.info().methods&convertible != 0
}

// CanConvertFromUnstructured reports whether pointers to values of the type
// implement json.Unmarshaler.
func (e TypeReflectCacheEntry) CanConvertFromUnstructured() bool {
	return e.info().methods&pointerUnmarshals != 0
}

// ToUnstructured returns what a value of the type converts itself to, nil for
// a nil pointer. JSON numbers become int64 where they fit, otherwise float64.
// It returns the error of the conversion, or one that says that the type has
// none; a method of the pointer counts only if the value is addressable.
func (e TypeReflectCacheEntry) ToUnstructured(sv reflect.Value) (interface{}, error) {
	u, _, err := e.info().convert(sv)
	return u, err
}

// convert is ToUnstructured. fresh says that nobody else holds on to u, and
// that it is made of nothing but nil, bool, int64, float64, string,
// []interface{} and map[string]interface{}.
func (t *typeInfo) convert(v reflect.Value) (u any, fresh bool, err error) {
	m := t.methods
	switch k := v.Kind(); {
	case k == reflect.Pointer && v.IsNil(), k == reflect.Interface && v.IsNil() && m&convertible != 0:
		return nil, true, nil
	}
	switch {
	case m&convertsWithError != 0:
		u, err = v.Interface().(UnstructuredConverterWithError).ToUnstructuredWithError()
		return u, false, err
	case m&pointerConvertsWithError != 0 && v.CanAddr():
		u, err = v.Addr().Interface().(UnstructuredConverterWithError).ToUnstructuredWithError()
		return u, false, err
	case m&converts != 0:
		return v.Interface().(UnstructuredConverter).ToUnstructured(), false, nil
	case m&pointerConverts != 0 && v.CanAddr():
		return v.Addr().Interface().(UnstructuredConverter).ToUnstructured(), false, nil
	case m&marshals != 0:
		u, err = unmarshaled(v.Interface().(json.Marshaler))
		return u, true, err
	case m&pointerMarshals != 0 && v.CanAddr() && v.Kind() != reflect.Pointer:
		u, err = unmarshaled(v.Addr().Interface().(json.Marshaler))
		return u, true, err
	}
	return nil, true, fmt.Errorf("provided type cannot be converted: %v", v.Type())
}

func unmarshaled(m json.Marshaler) (any, error) {
	data, err := m.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// FromUnstructured sets dv, which must be addressable and of the type, to what
// its UnmarshalJSON makes of the plain data sv. It returns the error of
// UnmarshalJSON, or one that says that sv has no JSON or dv no UnmarshalJSON.
func (e TypeReflectCacheEntry) FromUnstructured(sv, dv reflect.Value) error {
	room := buffers.Get().(*[]byte) // UnmarshalJSON may not retain what it is given
	defer buffers.Put(room)
	data, err := marshal((*room)[:0], sv.Interface())
	if err != nil {
		return fmt.Errorf("error encoding %s to json: %v", dv.Type(), err)
	}
	if cap(data) <= maxBuffer {
		*room = data
	}
	if !e.CanConvertFromUnstructured() {
		return fmt.Errorf("unable to unmarshal %v into %v", sv.Type(), dv.Type())
	}
	return dv.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(data)
}

// maxBuffer is how large buffers are kept.
const maxBuffer = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// marshal is json.Marshal, quick for plain data, with room for the result.
func marshal(room []byte, v any) ([]byte, error) {
	if b, ok := appendAlike(room, v, 0); ok {
		return b, nil
	}
	return json.Marshal(v)
}

// appendAlike is appendJSON for data that both it and encoding/json write, and
// in the same way: ok is false for all else.
func appendAlike(b []byte, v any, depth int) (_ []byte, ok bool) {
	switch v := v.(type) {
	case map[string]any:
		if v == nil || depth >= maxDepth {
			return b, false
		}
		if len(v) == 0 {
			return append(b, '{', '}'), true
		}
		return appendObjectAlike(b, v, depth)
	case []any:
		if v == nil || depth >= maxDepth {
			return b, false
		}
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, ok = appendAlike(b, e, depth+1); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	case string:
		return appendTextAlike(b, v)
	case float64:
		if a := math.Abs(v); a != 0 && !(a >= 1e-6 && a < 1e21) {
			return b, false
		}
	case nil, bool, int64:
	default:
		return b, false
	}
	b, err := appendJSON(b, v, depth)
	return b, err == nil
}

func appendObjectAlike(b []byte, object map[string]any, depth int) (_ []byte, ok bool) {
	type entry struct {
		key   string
		value any
	}
	var few [12]entry
	entries := few[:0]
	for k, v := range object {
		entries = append(entries, entry{k, v})
	}
	if len(entries) <= len(few) {
		for i := 1; i < len(entries); i++ {
			for j := i; j > 0 && entries[j].key < entries[j-1].key; j-- {
				entries[j], entries[j-1] = entries[j-1], entries[j]
			}
		}
	} else {
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	}
	for i := range entries {
		c := byte(',')
		if i == 0 {
			c = '{'
		}
		if b, ok = appendTextAlike(append(b, c), entries[i].key); !ok {
			return b, false
		}
		if b, ok = appendAlike(append(b, ':'), entries[i].value, depth+1); !ok {
			return b, false
		}
	}
	return append(b, '}'), true
}

// plainASCII are the characters of ASCII that are written as they are.
var plainASCII = func() (t [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		t[c] = !needsEscape(c)
	}
	return t
}()

// appendTextAlike appends a quoted string. Backspaces, form feeds and what is no
// UTF-8 are not written alike.
func appendTextAlike(b []byte, s string) (_ []byte, ok bool) {
	start := len(b)
	b = append(b, '"')
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plainASCII[c] {
			continue
		}
		if c >= utf8.RuneSelf {
			return appendJSONString(b[:start], s), utf8.ValidString(s) && !strings.ContainsAny(s, "\b\f")
		}
		if c == '\b' || c == '\f' {
			return b, false
		}
		b = appendEscape(append(b, s[done:i]...), c)
		done = i + 1
	}
	return append(append(b, s[done:]...), '"'), true
}
