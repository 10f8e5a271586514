// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/edition"
	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
)

// FromJSON parses a JSON document. Numbers become float64, which changes integers above 2^53.
// To keep integers, call DecodeObject and pass the result to NewValueInterface. If an object has
// duplicate keys, the last one wins. FromJSON returns an error if the input is not exactly one
// document, is nested deeper than 10,000 levels or has a number out of range. The
// caller may change input afterwards.
//
// If schema.Version7 is set, FromJSON returns the errors of encoding/json/v2, and replaces
// invalid UTF-8 with U+FFFD.
func FromJSON(input []byte) (Value, error) {
	if edition.V7.Is() {
		return fromJSON7(input)
	}
	v, ok := jsoniter.Parse(box.Text(input), jsoniter.CopyStrings)
	if !ok {
		r := jsoniter.NewReader(string(input))
		v = r.Any()
		if err := r.End(); err != nil {
			return nil, err
		}
	}
	return NewValueInterface(v), nil
}

// FromJSONFast is the same as FromJSON.
func FromJSONFast(input []byte) (Value, error) {
	return FromJSON(input)
}

// DecodeObject decodes a JSON object to plain data: map[string]any, []any, string, bool, int64,
// float64 and nil. Packages typed and fieldmanager accept this data. A whole number becomes int64
// if it fits and has neither a fraction nor an exponent. Any other number becomes float64.
//
// DecodeObject is suitable for untrusted input. It returns an error if data is not exactly one
// JSON object, contains invalid UTF-8, has the same key twice in an object, is nested deeper than
// 10,000 levels or has a number out of range. It does not limit the size of data. The result does
// not share memory with data. Concurrent calls are safe.
func DecodeObject(data []byte) (map[string]any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the JSON contains invalid UTF-8")
	}
	v, ok := jsoniter.Parse(string(data), jsoniter.Ints|jsoniter.Unique)
	if !ok {
		var err error
		if v, err = decodeUnique(data); err != nil {
			return nil, err
		}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("want a JSON object, got %.20s", bytes.TrimSpace(data))
	}
	return object, nil
}

// decodeUnique decodes JSON as DecodeObject does, but uses encoding/json and returns its error
// messages. It accepts any document, not only objects.
func decodeUnique(data []byte) (any, error) {
	var v any
	err := unmarshal(data, &v)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("want a JSON object, got no data")
	}
	if err != nil {
		return nil, fmt.Errorf("not a JSON document: %w", err)
	}
	if v, err = convertNumbers(v); err != nil {
		return nil, err
	}
	return v, checkKeys(json.NewDecoder(bytes.NewReader(data)))
}

// checkKeys reads a value and returns an error if an object in it has a key twice.
func checkKeys(d *json.Decoder) error {
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		return err
	}
	bracket, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	var keys map[any]bool
	if bracket == '{' {
		keys = map[any]bool{}
	}
	for d.More() {
		if keys != nil {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if keys[key] {
				return fmt.Errorf("an object has the key %.100q twice, the second time before offset %d", key, d.InputOffset())
			}
			keys[key] = true
		}
		if err := checkKeys(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// decode decodes the output of a MarshalJSON method to plain data. Numbers become int64
// if they fit, otherwise float64. It returns an error for data nested deeper than maxDepth.
func decode(data []byte) (any, error) {
	if len(data) == 0 {
		return nil, errors.New("error decoding from json: empty value")
	}
	// Parse handles the usual documents. decodeSlowly handles leading space, space after a word
	// such as null, invalid UTF-8, and documents that Parse rejects.
	word := 'a' <= data[0] && data[0] <= 'z'
	if !jsoniter.IsSpace(data[0]) && !(word && jsoniter.IsSpace(data[len(data)-1])) && utf8.Valid(data) {
		if v, ok := jsoniter.Parse(string(data), jsoniter.Ints); ok {
			return v, nil
		}
	}
	return decodeSlowly(data)
}

// decodeSlowly does the same as decode, but uses encoding/json and returns its error
// messages. FuzzDecode compares the two functions. The data must not be empty.
func decodeSlowly(data []byte) (any, error) {
	kind := map[byte]string{'"': "string", '{': "object", '[': "array"}[data[0]]
	if kind != "" || string(data) == "null" || string(data) == "true" || string(data) == "false" {
		var v any
		err := unmarshal(data, &v)
		if err == nil {
			v, err = convertNumbers(v)
		}
		if err != nil {
			return nil, fmt.Errorf("error decoding %s from json: %v", kind, err)
		}
		return v, nil
	}
	var i int64
	if err := unmarshal(data, &i); err == nil {
		return i, nil
	}
	var f float64
	if err := unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("error decoding number from json: %v", err)
	}
	return f, nil
}

// unmarshal does the same as json.Unmarshal, but decodes numbers as json.Number.
func unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	end := d.InputOffset()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		rest := bytes.TrimLeft(data[end:], " \t\r\n")
		return fmt.Errorf("unexpected trailing data at offset %d", len(data)-len(rest))
	}
	return nil
}

// convertNumbers replaces each json.Number in v with an int64 or a float64. It changes maps and
// lists in place. It visits keys in sorted order, and returns the first error. It does not limit
// the depth, because encoding/json already did.
func convertNumbers(v any) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i, nil
		}
		return v.Float64()
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if v[k], err = convertNumbers(v[k]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = convertNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
