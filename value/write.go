// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/internal/edition"
	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
)

// ToJSON returns a value as a JSON document without spaces. Keys are sorted. In strings and
// keys, <, >, &, U+2028 and U+2029 are escaped, and invalid UTF-8 becomes U+FFFD. Floats whose
// magnitude is at least 1e21 or below 1e-6 are written with an exponent of at least two digits.
//
// ToJSON returns an error for a NaN or an infinity, for Go data that JSON cannot represent, and
// for data nested deeper than 10,000 levels.
//
// If schema.Version7 is set, only quotes, backslashes and control characters are escaped,
// exponents have no leading zero, and nil maps and lists are written as {} and [].
func ToJSON(v Value) ([]byte, error) {
	if edition.V7.Is() {
		return toJSON7(v)
	}
	b, err := writer{jsoniter.HTML}.value(nil, v.Unstructured(), 0)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// marshal returns the same bytes as json.Marshal. It may store the bytes in the memory of room.
//
// It must be fast, because API servers call it when they decode managed fields. With encoding/json
// instead, an update by apimachinery's FieldManager takes 1.6 times as many instructions, or 1.7
// times as many with 20 managers (benchmark k/FMUpdateStatus in test/bench).
func marshal(room []byte, v any) ([]byte, error) {
	if b, err := (writer{jsoniter.Standard}).value(room, v, 0); err == nil {
		return b, nil
	}
	return json.Marshal(v)
}

// ToYAML returns a value as a YAML document. It returns an error if the value is nested deeper
// than 10,000 levels, or contains data that YAML cannot represent.
func ToYAML(v Value) (doc []byte, err error) {
	u := v.Unstructured()
	if tooDeep(u, 0) {
		return nil, errTooDeep
	}
	// The encoder panics on types that it does not support, such as complex128.
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
		return anyTooDeep(maps.Values(v), depth+1)
	case map[any]any:
		return anyTooDeep(maps.Values(v), depth+1)
	case []any:
		return anyTooDeep(slices.Values(v), depth+1)
	}
	return false
}

func anyTooDeep(values iter.Seq[any], depth int) bool {
	for v := range values {
		if tooDeep(v, depth) {
			return true
		}
	}
	return false
}

// writer writes JSON in the same way as one of three encoders. The field escapes selects the
// encoder: HTML selects json-iterator, Standard selects encoding/json, and Letters selects
// encoding/json/v2. With HTML, writer accepts any Go data. With Standard and Letters, it returns an
// error for data that is not plain, and for data that it would write differently from the encoder.
// With Letters, it does not detect invalid UTF-8.
type writer struct {
	escapes jsoniter.Escapes
}

// standard reports whether w imitates an encoder of the Go standard library.
func (w writer) standard() bool { return w.escapes != jsoniter.HTML }

var errNotStandard = errors.New("encoding/json writes this value differently")

// value appends v to b.
func (w writer) value(b []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case string:
		return w.text(b, v), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case float64:
		return w.float(b, v, 64)
	case map[string]any:
		if v != nil && len(v) == 0 && depth < maxDepth { // most maps in managed fields are empty
			return append(b, '{', '}'), nil
		}
		return w.object(b, v, depth)
	case []any:
		return w.array(b, v, depth)
	}
	if w.standard() {
		return b, errNotStandard
	}
	return w.otherTypes(b, v, depth)
}

func appendBytes(b, v []byte) []byte {
	if v == nil {
		return append(b, "null"...)
	}
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), v), '"')
}

func (w writer) float(b []byte, f float64, bits int) ([]byte, error) {
	if w.standard() && jsoniter.HasExponent(f, bits) {
		return b, errNotStandard
	}
	return jsoniter.AppendFloat(b, f, bits)
}

// text appends s as a quoted string.
func (w writer) text(b []byte, s string) []byte {
	return jsoniter.AppendQuoted(b, s, w.escapes)
}

// null appends a nil list or map.
func (w writer) null(b []byte) ([]byte, error) {
	if w.escapes == jsoniter.Letters {
		return b, errNotStandard
	}
	return append(b, "null"...), nil
}

func (w writer) array(b []byte, list []any, depth int) (_ []byte, err error) {
	if list == nil {
		return w.null(b)
	}
	if depth >= maxDepth {
		return b, errTooDeep
	}
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = w.value(b, v, depth+1); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func (w writer) object(b []byte, object map[string]any, depth int) ([]byte, error) {
	if object == nil {
		return w.null(b)
	}
	if depth >= maxDepth {
		return b, errTooDeep
	}
	var few [fewEntries]entry
	entries := few[:0]
	for k, v := range object {
		entries = append(entries, entry{k, v})
	}
	return w.entries(b, entries, depth)
}

// fewEntries is the maximum number of entries that insertion sort handles.
const fewEntries = 12

type entry struct {
	key   string
	value any
}

// entries appends the entries as a JSON object. It sorts entries in place.
func (w writer) entries(b []byte, entries []entry, depth int) (_ []byte, err error) {
	valid := w.standard() || !slices.ContainsFunc(entries, func(e entry) bool { return !utf8.ValidString(e.key) })
	switch {
	case !valid:
		slices.SortFunc(entries, func(a, b entry) int { return compareKeys(a.key, b.key) })
	case len(entries) > fewEntries:
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	default:
		for i := 1; i < len(entries); i++ {
			for j := i; j > 0 && entries[j].key < entries[j-1].key; j-- {
				entries[j], entries[j-1] = entries[j-1], entries[j]
			}
		}
	}
	b = append(b, '{')
	for i := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(w.text(b, entries[i].key), ':')
		if b, err = w.value(b, entries[i].value, depth+1); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// compareKeys orders keys as they appear in the document, where U+FFFD replaces invalid UTF-8.
func compareKeys(a, b string) int {
	if !utf8.ValidString(a) || !utf8.ValidString(b) {
		if c := strings.Compare(string([]rune(a)), string([]rune(b))); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// The rest of this file writes Go data that decoders never return, but that programs can put
// into maps and lists. Examples are numbers of other sizes, typed maps and lists, marshalers and
// structs. encoding/json cannot replace this code: it rejects some types of map keys, and has
// different rules for calling methods on pointers to items.

func (w writer) otherTypes(b []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case float32:
		return w.float(b, float64(v), 32)
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case int32:
		return strconv.AppendInt(b, int64(v), 10), nil
	case []byte:
		return appendBytes(b, v), nil
	case json.Number:
		return append(b, cmp.Or(v, "0")...), nil
	case json.RawMessage:
		r := jsoniter.NewReader(string(v))
		if r.Any(); r.Failed() {
			return append(b, "null"...), nil
		}
		return append(b, v...), nil
	}
	return w.reflected(b, reflect.ValueOf(v), depth)
}

var textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()

// interfaceWithMethods returns v, an element of a typed map, list or pointer, as an interface
// value. If the pointer type has marshal methods, it returns a pointer to a copy of v, so
// that the writer calls these methods.
func interfaceWithMethods(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	p := reflect.PointerTo(v.Type())
	if p.Implements(marshalerType) || p.Implements(textMarshalerType) {
		c := reflect.New(v.Type())
		c.Elem().Set(v)
		return c.Interface()
	}
	return v.Interface()
}

func (w writer) reflected(b []byte, v reflect.Value, depth int) ([]byte, error) {
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
		if err != nil {
			return b, err
		}
		return w.text(b, string(text)), nil
	}
	switch v.Kind() {
	case reflect.String:
		return w.text(b, v.String()), nil
	case reflect.Pointer:
		return w.value(b, interfaceWithMethods(v.Elem()), depth+1)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return appendBytes(b, v.Bytes()), nil
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = interfaceWithMethods(v.Index(i))
		}
		return w.array(b, list, depth)
	case reflect.Map:
		return w.typedMap(b, v, depth)
	case reflect.Struct:
		data, err := json.Marshal(v.Interface())
		return append(b, data...), err
	}
	return appendScalar(b, v, "%v is unsupported type")
}

// appendScalar appends a boolean or a number. For other kinds it returns an error.
// unsupported is the format string of the error, with one verb for the type.
func appendScalar(b []byte, v reflect.Value, unsupported string) ([]byte, error) {
	switch {
	case v.Kind() == reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case v.CanInt():
		return strconv.AppendInt(b, v.Int(), 10), nil
	case v.CanUint():
		return strconv.AppendUint(b, v.Uint(), 10), nil
	case v.CanFloat():
		return jsoniter.AppendFloat(b, v.Float(), v.Type().Bits())
	}
	return b, fmt.Errorf(unsupported, v.Type())
}

// typedMap appends a map with keys of any type that keyOf supports.
func (w writer) typedMap(b []byte, m reflect.Value, depth int) ([]byte, error) {
	entries := make([]entry, 0, m.Len())
	for iter := m.MapRange(); iter.Next(); {
		name, err := keyOf(iter.Key())
		if err != nil {
			return b, err
		}
		entries = append(entries, entry{name, interfaceWithMethods(iter.Value())})
	}
	return w.entries(b, entries, depth)
}

// keyOf returns the JSON key for k, a key of a Go map.
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
	if k.Kind() == reflect.String {
		return k.String(), nil
	}
	b, err := appendScalar(nil, k, "unsupported map key type: %v")
	return string(b), err
}
