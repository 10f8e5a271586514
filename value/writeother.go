// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// What follows is for Go data that decoders do not make but programs put into
// maps and lists all the same: numbers of other sizes, typed maps and lists,
// types that marshal themselves, structs.

// appendOther appends the JSON of what appendJSON does not know.
func appendOther(b []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case json.Number:
		if v == "" {
			return append(b, '0'), nil
		}
		return append(b, v...), nil
	case json.RawMessage:
		r := reader{buf: v}
		if _, ok := r.value(); !ok {
			return append(b, "null"...), nil
		}
		return append(b, v...), nil
	}
	return appendReflect(b, reflect.ValueOf(v), depth)
}

var textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()

// appendNested is appendReflect for what is in a typed map or list: methods of
// the pointer count.
func appendNested(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if !v.IsValid() {
		return append(b, "null"...), nil
	}
	p := reflect.PointerTo(v.Type())
	if p.Implements(marshalerType) || p.Implements(textMarshalerType) {
		c := reflect.New(v.Type())
		c.Elem().Set(v)
		return appendReflect(b, c, depth)
	}
	return appendJSON(b, v.Interface(), depth)
}

func appendReflect(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if isNil(v) {
		return append(b, "null"...), nil
	}
	if depth >= maxDepth {
		return b, errTooDeep
	}
	switch m := v.Interface().(type) {
	case json.Marshaler:
		data, err := m.MarshalJSON()
		return append(b, bytes.TrimSuffix(data, []byte("\n"))...), err
	case encoding.TextMarshaler:
		text, err := m.MarshalText()
		return appendJSONString(b, string(text)), err
	}
	switch v.Kind() {
	case reflect.String:
		return appendJSONString(b, v.String()), nil
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.AppendUint(b, v.Uint(), 10), nil
	case reflect.Float32:
		return appendFloat(b, v.Float(), 32)
	case reflect.Float64:
		return appendFloat(b, v.Float(), 64)
	case reflect.Pointer:
		return appendNested(b, v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			b = base64.StdEncoding.AppendEncode(append(b, '"'), v.Bytes())
			return append(b, '"'), nil
		}
		return appendItems(b, v, depth)
	case reflect.Map:
		entries := make([]entry, 0, v.Len())
		for iter := v.MapRange(); iter.Next(); {
			name, err := keyOf(iter.Key())
			if err != nil {
				return b, err
			}
			entries = append(entries, entry{name, iter.Value()})
		}
		return appendEntries(b, entries, depth)
	case reflect.Struct:
		data, err := json.Marshal(v.Interface())
		return append(b, data...), err
	}
	return b, fmt.Errorf("%v is unsupported type", v.Type())
}

func appendItems(b []byte, list reflect.Value, depth int) ([]byte, error) {
	b = append(b, '[')
	for i := range list.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendNested(b, list.Index(i), depth+1); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// entry is an entry of a map whose keys need not be strings.
type entry struct {
	key   string
	value reflect.Value
}

// keyOf returns the key of an object that stands for a key of a map.
func keyOf(k reflect.Value) (string, error) {
	if k.Kind() == reflect.Interface {
		k = k.Elem()
	}
	if !k.IsValid() {
		return "", fmt.Errorf("unsupported map key type: <nil>")
	}
	if m, ok := k.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		return string(text), err
	}
	switch k.Kind() {
	case reflect.String:
		return k.String(), nil
	case reflect.Bool:
		return strconv.FormatBool(k.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(k.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(k.Uint(), 10), nil
	case reflect.Float32, reflect.Float64:
		b, err := appendFloat(nil, k.Float(), k.Type().Bits())
		return string(b), err
	}
	return "", fmt.Errorf("unsupported map key type: %v", k.Type())
}

func appendEntries(b []byte, entries []entry, depth int) ([]byte, error) {
	slices.SortFunc(entries, func(x, y entry) int {
		return compareKeys(x.key, y.key)
	})
	b = append(b, '{')
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONString(b, e.key), ':')
		var err error
		if b, err = appendNested(b, e.value, depth+1); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}
