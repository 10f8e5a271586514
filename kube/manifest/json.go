// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDepth is the maximum nesting of values. The YAML decoder has the same limit.
const maxDepth = 10000

var tooDeep = fmt.Sprintf("nested more than %d levels deep", maxDepth)

// jsonError is an error in a JSON text.
type jsonError struct {
	line    int // counted from the start of the data
	column  int
	path    string
	message string
	// isJSON is true if the data is certainly JSON and not YAML or something else.
	isJSON bool
	// noPath is true if the path would be too long to be useful.
	noPath bool
}

func (e *jsonError) Error() string { return e.message }

// jsonReader reads JSON values token by token, because the other functions of encoding/json report
// neither duplicate keys nor positions.
type jsonReader struct {
	data []byte
	dec  *json.Decoder
	// These numbers track the current line. base is the line number of the first byte. The reader has
	// counted lines up to the offset "at". This offset is on the line with the number line, which
	// starts at the offset lineStart.
	base, at, line, lineStart int
	depth                     int
	// valuesOnly is true if the caller needs neither syntax nodes nor the lines of errors.
	valuesOnly bool
}

func newJSONReader(data []byte, base int) *jsonReader {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return &jsonReader{data: data, dec: dec, base: base, line: base}
}

// decodeJSON returns the JSON values in data. data must contain at least one value. base is
// the line number of the first byte.
func decodeJSON(data []byte, base int) ([]any, *jsonError) {
	r := newJSONReader(data, base)
	r.valuesOnly = true
	var (
		values []any
		end    int64 // the end of the last value
	)
	for {
		n, err := r.next()
		if err == io.EOF && len(values) > 0 || err != nil && len(values) == 1 && isComment(data[end:]) {
			return values, nil
		}
		if err != nil && r.valuesOnly {
			// Read the data again to find the position of the error. This takes more memory.
			r, values = newJSONReader(data, base), nil
			continue
		}
		if err != nil {
			return nil, r.describe(err)
		}
		values, end = append(values, n.value), r.dec.InputOffset()
	}
}

// jsonNodes returns the syntax trees of the JSON values in data. base is the line number
// of the first byte of data. column is the number of bytes before data on that line.
func jsonNodes(data []byte, base, column int) ([]*yaml.Node, error) {
	r := newJSONReader(data, base)
	r.lineStart = -column
	var (
		nodes []*yaml.Node
		end   int64 // the end of the last value
	)
	for {
		n, err := r.next()
		if err == io.EOF || err != nil && len(nodes) == 1 && isComment(data[end:]) {
			return nodes, nil
		}
		if err != nil {
			return nil, err
		}
		nodes, end = append(nodes, n.node), r.dec.InputOffset()
	}
}

// isComment reports whether the text after a JSON value consists of YAML comments.
func isComment(text []byte) bool {
	for line := range bytes.Lines(text) {
		if !isBlank(line) {
			return false
		}
	}
	return bytes.IndexByte(text, '#') >= 0
}

const commentInJSON = "not JSON: found a comment, which JSON does not allow: remove it, or write YAML"

func (r *jsonReader) describe(err error) *jsonError {
	var je *jsonError
	if errors.As(err, &je) {
		je.line -= r.base - 1
		return je
	}
	e := &jsonError{message: "not JSON: " + err.Error()}
	offset := int(r.dec.InputOffset())
	var se *json.SyntaxError
	switch {
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &se) && se.Error() == "unexpected end of JSON input": // the text of this error since Go 1.27
		e.message = "not JSON: the text ends too early"
		offset = len(r.data)
	case errors.As(err, &se) && strings.HasSuffix(se.Error(), "exceeded max depth"): // the text of this error since Go 1.27
		e.message = tooDeep
		offset = r.skipToToken(offset)
	case errors.As(err, &se):
		// The decoder sometimes counts from the start of its buffer, so its offset may be wrong.
		// The end of the last token is always right.
		offset = r.skipToToken(offset)
		if rest := r.data[min(offset, len(r.data)):]; bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")) {
			e.message = commentInJSON
		}
	}
	before := r.data[:min(offset, len(r.data))]
	e.line = 1 + bytes.Count(before, []byte("\n"))
	e.column = len(before) - bytes.LastIndexByte(before, '\n')
	return e
}

// skipToToken returns the offset of the next token. It skips white space and separators.
func (r *jsonReader) skipToToken(offset int) int {
	for offset < len(r.data) {
		switch r.data[offset] {
		case ' ', '\t', '\r', '\n', ',', ':':
			offset++
		default:
			return offset
		}
	}
	return offset
}

type jsonValue struct {
	value any
	node  *yaml.Node
}

// noSyntax takes the place of all syntax nodes if valuesOnly is set. It must not be changed.
var noSyntax yaml.Node

// node returns the syntax node for the next value.
func (r *jsonReader) node() *yaml.Node {
	if r.valuesOnly {
		return &noSyntax
	}
	line, column := r.position()
	return &yaml.Node{Line: line, Column: column}
}

// setNode sets the kind and the text of a node, unless valuesOnly is set.
func (r *jsonReader) setNode(n *yaml.Node, kind yaml.Kind, text string) {
	if !r.valuesOnly {
		n.Kind, n.Value = kind, text
	}
}

// addContent adds children to a node, unless valuesOnly is set.
func (r *jsonReader) addContent(n *yaml.Node, parts ...*yaml.Node) {
	if !r.valuesOnly {
		n.Content = append(n.Content, parts...)
	}
}

// position returns the position of the next token.
func (r *jsonReader) position() (line, column int) {
	offset := r.skipToToken(int(r.dec.InputOffset()))
	for i, c := range r.data[r.at:offset] {
		if c == '\n' {
			r.line++
			r.lineStart = r.at + i + 1
		}
	}
	r.at = offset
	return r.line, offset - r.lineStart + 1
}

// token returns the next token. At the end of the data, it returns io.EOF if all values
// are complete.
func (r *jsonReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err == io.EOF && r.depth > 0 {
		err = io.ErrUnexpectedEOF
	}
	return t, err
}

func (r *jsonReader) next() (jsonValue, error) {
	n := r.node()
	t, err := r.token()
	if err != nil {
		return jsonValue{}, err
	}
	switch t := t.(type) {
	case json.Delim:
		r.depth++
		defer func() { r.depth-- }()
		if r.depth > maxDepth {
			return jsonValue{}, &jsonError{line: n.Line, column: n.Column, isJSON: true, noPath: true,
				message: tooDeep}
		}
		if t == '[' {
			return r.list(n)
		}
		return r.object(n)
	case string:
		if r.setNode(n, yaml.ScalarNode, t); !r.valuesOnly {
			n.Style = yaml.DoubleQuotedStyle
		}
		return jsonValue{t, n}, nil
	case json.Number:
		r.setNode(n, yaml.ScalarNode, t.String())
		if i, err := t.Int64(); err == nil {
			return jsonValue{i, n}, nil
		}
		f, err := t.Float64()
		if err != nil {
			return jsonValue{}, &jsonError{line: n.Line, column: n.Column, isJSON: true, message: "number out of range"}
		}
		return jsonValue{f, n}, nil
	case bool:
		r.setNode(n, yaml.ScalarNode, strconv.FormatBool(t))
		return jsonValue{t, n}, nil
	}
	r.setNode(n, yaml.ScalarNode, "null")
	return jsonValue{nil, n}, nil
}

func (r *jsonReader) list(n *yaml.Node) (jsonValue, error) {
	r.setNode(n, yaml.SequenceNode, "")
	list := []any{}
	for r.dec.More() {
		item, err := r.next()
		if err != nil {
			return jsonValue{}, prependStep(err, fmt.Sprintf("[%d]", len(list)))
		}
		list = append(list, item.value)
		r.addContent(n, item.node)
	}
	_, err := r.token()
	return jsonValue{list, n}, err
}

func (r *jsonReader) object(n *yaml.Node) (jsonValue, error) {
	r.setNode(n, yaml.MappingNode, "")
	object := map[string]any{}
	for r.dec.More() {
		key, err := r.next()
		if err != nil {
			return jsonValue{}, err
		}
		name, ok := key.value.(string)
		if !ok {
			return jsonValue{}, &jsonError{line: key.node.Line, column: key.node.Column, message: "not JSON: want a string as a key"}
		}
		if _, twice := object[name]; twice {
			return jsonValue{}, prependStep(&jsonError{line: key.node.Line, column: key.node.Column, isJSON: true,
				message: fmt.Sprintf("duplicate key, first used on line %d", firstLine(n, name))}, "."+name)
		}
		field, err := r.next()
		if err != nil {
			return jsonValue{}, prependStep(err, "."+name)
		}
		object[name] = field.value
		r.addContent(n, key.node, field.node)
	}
	_, err := r.token()
	return jsonValue{object, n}, err
}

func firstLine(n *yaml.Node, name string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i].Line
		}
	}
	return 0
}

func prependStep(err error, step string) error {
	var je *jsonError
	if errors.As(err, &je) && !je.noPath {
		je.path = step + je.path
	}
	return err
}
