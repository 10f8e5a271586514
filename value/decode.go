// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
)

// decode returns the plain data that the output of a MarshalJSON says, with
// numbers as int64 where they fit and otherwise float64. It refuses data
// nested deeper than maxDepth.
func decode(data []byte) (any, error) {
	if len(data) == 0 {
		return nil, errors.New("error decoding from json: empty value")
	}
	// A space in front, or behind a word, is not for the reader to judge.
	if !isSpace(data[0]) && !(isLetter(data[0]) && isSpace(data[len(data)-1])) {
		r := reader{buf: data, strict: true, whole: string(data)}
		if v, ok := r.document(); ok {
			return v, nil
		}
	}
	return decodeSlowly(data)
}

// decodeSlowly is decode by encoding/json, which finds the words for what is
// wrong with the data. The data is not empty.
func decodeSlowly(data []byte) (any, error) {
	switch string(data) {
	case "null":
		return nil, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	switch data[0] {
	case '"':
		var s string
		if err := unmarshal(data, &s); err != nil {
			return nil, fmt.Errorf("error decoding string from json: %v", err)
		}
		return s, nil
	case '{':
		m := map[string]any{}
		err := unmarshal(data, &m)
		if err == nil {
			err = convertAll(m)
		}
		if err != nil {
			return nil, fmt.Errorf("error decoding object from json: %v", err)
		}
		return m, nil
	case '[':
		l := []any{}
		err := unmarshal(data, &l)
		if err == nil {
			err = convertAll(l)
		}
		if err != nil {
			return nil, fmt.Errorf("error decoding array from json: %v", err)
		}
		return l, nil
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

// convertAll replaces every json.Number in a map or list. The error is the first by
// name. How deep these may be in one another encoding/json has seen to.
func convertAll(container any) error {
	if convertNumbersIn(container, maps.All) == nil {
		return nil
	}
	return convertNumbersIn(container, func(m map[string]any) iter.Seq2[string, any] {
		return func(yield func(string, any) bool) {
			for _, k := range slices.Sorted(maps.Keys(m)) {
				if !yield(k, m[k]) {
					return
				}
			}
		}
	})
}

// convertNumbersIn is convertAll in the order of entries.
func convertNumbersIn(container any, entries func(map[string]any) iter.Seq2[string, any]) error {
	switch c := container.(type) {
	case map[string]any:
		for k, v := range entries(c) {
			n, err := convertNumbers(v, entries)
			if err != nil {
				return err
			}
			c[k] = n
		}
	case []any:
		for i, v := range c {
			n, err := convertNumbers(v, entries)
			if err != nil {
				return err
			}
			c[i] = n
		}
	}
	return nil
}

func convertNumbers(v any, entries func(map[string]any) iter.Seq2[string, any]) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i, nil
		}
		return v.Float64()
	case map[string]any, []any:
		return v, convertNumbersIn(v, entries)
	}
	return v, nil
}
