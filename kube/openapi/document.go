// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// parse returns the documents in data. JSON contains one document, and YAML contains any
// number of documents. Maps have the type map[string]any, and lists have the type []any.
// Numbers that are written as integers become int64. All other numbers become float64.
// parse omits empty YAML documents.
func parse(name string, data []byte) ([]any, error) {
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		v, err := parseJSON(data)
		if err == nil {
			return []any{v}, nil
		}
		// YAML can also begin with a brace or a bracket.
		if docs, yerr := parseYAML(data); yerr == nil {
			return docs, nil
		}
		return nil, syntaxError(name, data, err)
	}
	docs, err := parseYAML(data)
	if err != nil {
		return nil, syntaxError(name, data, err)
	}
	return docs, nil
}

func parseJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &trailingData{d.InputOffset()}
	}
	out, err := numbers(v, maps.All)
	if err != nil {
		// Repeat this in alphabetical order, so that the same input always leads to the same error.
		_, err = numbers(v, sortedByName)
	}
	return out, err
}

// sortedByName iterates over the entries of m in the order of their names.
func sortedByName(m map[string]any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

type trailingData struct{ offset int64 }

func (*trailingData) Error() string { return "want the end of the document after the first value" }

// numbers replaces each json.Number in v with an int64 or a float64. The parameter "entries"
// is a function that determines the order in which the entries of a map are visited.
func numbers(v any, entries func(map[string]any) iter.Seq2[string, any]) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return i, nil
		}
		return v.Float64()
	case map[string]any:
		for k, e := range entries(v) {
			plain, err := numbers(e, entries)
			if err != nil {
				return nil, err
			}
			v[k] = plain
		}
	case []any:
		for i, e := range v {
			plain, err := numbers(e, entries)
			if err != nil {
				return nil, err
			}
			v[i] = plain
		}
	}
	return v, nil
}

func parseYAML(data []byte) (docs []any, err error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.SetStrict(true)
	for {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return docs, nil
		} else if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		read, err := toJSON(v)
		if err != nil {
			return nil, err
		}
		v = read
		docs = append(docs, v)
	}
}

// toJSON converts a value from the types of the YAML decoder to those of the JSON decoder. It also
// accepts the types of the JSON decoder. In YAML 1.1, a key such as yes or 80 is a boolean or a
// number. Like kubectl, toJSON converts such keys to strings.
func toJSON(v any) (any, error) {
	out, err := toJSONInOrder(v, maps.All)
	if err != nil {
		_, err = toJSONInOrder(v, sortedByText)
	}
	return out, err
}

// sortedByText iterates over the entries of m in the order of their keys' texts.
func sortedByText(m map[any]any) iter.Seq2[any, any] {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b any) int {
		return cmp.Or(cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)), cmp.Compare(fmt.Sprintf("%T", a), fmt.Sprintf("%T", b)))
	})
	return func(yield func(any, any) bool) {
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// toJSONInOrder is like toJSON. The parameter "entries" is a function that determines the
// order in which the entries of a map are visited.
func toJSONInOrder(v any, entries func(map[any]any) iter.Seq2[any, any]) (any, error) {
	switch v := v.(type) {
	case map[any]any:
		m := make(map[string]any, len(v))
		for k, e := range entries(v) {
			name, err := keyName(k)
			if err != nil {
				return nil, err
			}
			if _, twice := m[name]; twice {
				return nil, fmt.Errorf("want each key only once, found %q twice", name)
			}
			if m[name], err = toJSONInOrder(e, entries); err != nil {
				return nil, err
			}
		}
		return m, nil
	case map[string]any: // a schema from Go code
		m := make(map[string]any, len(v))
		for name, e := range v {
			var err error
			if m[name], err = toJSONInOrder(e, entries); err != nil {
				return nil, err
			}
		}
		return m, nil
	case []any:
		for i, e := range v {
			p, err := toJSONInOrder(e, entries)
			if err != nil {
				return nil, err
			}
			v[i] = p
		}
		return v, nil
	case int:
		return int64(v), nil
	case uint64:
		return float64(v), nil
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("%v is not a number in JSON", v)
		}
		return v, nil
	case nil, bool, string, int64:
		return v, nil
	}
	return nil, fmt.Errorf("want JSON data, found a YAML value of type %T", v)
}

func keyName(k any) (string, error) {
	switch k := k.(type) {
	case string:
		return k, nil
	case int, int64, uint64, float64, bool:
		return fmt.Sprint(k), nil
	}
	if k == nil {
		return "", errors.New("want a string as a key, found null")
	}
	return "", fmt.Errorf("want a string as a key, found a YAML value of type %T", k)
}

var yamlLine = regexp.MustCompile(`\bline (\d+): `)

// syntaxError converts the error of a decoder. It reads the data again with manifest.ReadValues. If this
// returns an error, too, syntaxError uses that error, because its position and message are better.
func syntaxError(name string, data []byte, err error) *DocumentError {
	var found manifest.Errors
	if _, again := manifest.ReadValues(name, data); errors.As(again, &found) && len(found) > 0 {
		return &DocumentError{Document: name, Line: found[0].Line, Column: found[0].Column, Message: found[0].Message}
	}
	e := &DocumentError{Document: name, Message: "want JSON or YAML: " + err.Error()}
	var syntax *json.SyntaxError
	var rest *trailingData
	switch {
	case errors.As(err, &syntax):
		e.Line = lineAt(data, syntax.Offset)
	case errors.As(err, &rest):
		e.Line = lineAt(data, rest.offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Line = lineAt(data, int64(len(data)))
	default:
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			e.Line, _ = strconv.Atoi(m[1]) // the pattern matches digits
		}
		words := strings.TrimPrefix(err.Error(), "yaml: ")
		e.Message = "want JSON or YAML: " + yamlLine.ReplaceAllString(words, "")
	}
	return e
}

func lineAt(data []byte, offset int64) int {
	offset = min(max(offset, 0), int64(len(data)))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}
