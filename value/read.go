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

// FromJSON parses a document. Numbers become float64, of several entries of an
// object with one key the last wins. It returns an error if the input is not
// one document, is nested deeper than 10,000 levels or holds a number that is
// out of range. The input may be changed afterwards.
//
// Where schema.Version7 is set, errors are encoding/json/v2's, and bytes that are not UTF-8
// become U+FFFD.
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

// FromJSONFast is FromJSON.
func FromJSONFast(input []byte) (Value, error) {
	return FromJSON(input)
}

// decode returns the plain data that the output of a MarshalJSON says, with
// numbers as int64 where they fit and otherwise float64. It refuses data
// nested deeper than maxDepth.
func decode(data []byte) (any, error) {
	if len(data) == 0 {
		return nil, errors.New("error decoding from json: empty value")
	}
	// A space in front, or behind a word, is not for the parser to judge.
	word := 'a' <= data[0] && data[0] <= 'z'
	if !jsoniter.IsSpace(data[0]) && !(word && jsoniter.IsSpace(data[len(data)-1])) && utf8.Valid(data) {
		if v, ok := jsoniter.Parse(string(data), jsoniter.Ints); ok {
			return v, nil
		}
	}
	return decodeSlowly(data)
}

// decodeSlowly is decode by encoding/json, which finds the words for what is
// wrong with the data, and is what FuzzDecode compares decode with. The data is
// not empty.
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

// unmarshal is json.Unmarshal that leaves numbers as they are written.
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

// convertNumbers returns v with plain numbers in place of every json.Number, in maps
// and lists in place. The error is the first by name. How deep these may be in one
// another encoding/json has seen to.
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
