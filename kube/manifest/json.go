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

// maxDepth is how deep values may be nested; the YAML decoder has the same
// limit.
const maxDepth = 10000

var tooDeep = fmt.Sprintf("nested more than %d levels deep", maxDepth)

// jsonError is what is wrong with JSON.
type jsonError struct {
	line    int // within the data
	column  int
	path    string
	message string
	// certain says that the data is JSON all the same, not some other syntax.
	certain bool
	// noPath says that the path is too long to be of use.
	noPath bool
}

func (e *jsonError) Error() string { return e.message }

// jsonReader reads a row of JSON values token by token, for the duplicate
// keys and the positions that encoding/json's other entry points hide.
type jsonReader struct {
	data []byte
	dec  *json.Decoder
	// base is the line of the first byte. at, on line, is a position that was
	// counted already; the line begins at begin.
	base, at, line, begin int
	depth                 int
	// bare says that only the values are wanted: they have no syntax, and errors no line.
	bare bool
}

func newJSONReader(data []byte, base int) *jsonReader {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return &jsonReader{data: data, dec: dec, base: base, line: base}
}

// decodeJSON returns the JSON values in data, at least one; its first line is base.
func decodeJSON(data []byte, base int) ([]any, *jsonError) {
	r := newJSONReader(data, base)
	r.bare = true
	var values []any
	for {
		n, err := r.next()
		if err == io.EOF && len(values) > 0 {
			return values, nil
		}
		if err != nil && r.bare {
			// Where it is takes memory that only errors are worth.
			r, values = newJSONReader(data, base), nil
			continue
		}
		if err != nil {
			return nil, r.describe(err)
		}
		values = append(values, n.value)
	}
}

// jsonNodes returns the syntax of the JSON values in data, whose first line is
// base, and which has column bytes before it there.
func jsonNodes(data []byte, base, column int) ([]*yaml.Node, error) {
	r := newJSONReader(data, base)
	r.begin = -column
	var nodes []*yaml.Node
	for {
		n, err := r.next()
		if err == io.EOF {
			return nodes, nil
		}
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n.node)
	}
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
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &se) && se.Error() == "unexpected end of JSON input": // since Go 1.27
		e.message = "not JSON: it ends too early"
		offset = len(r.data)
	case errors.As(err, &se) && strings.HasSuffix(se.Error(), "exceeded max depth"): // since Go 1.27
		e.message = tooDeep
		offset = r.start(offset)
	case errors.As(err, &se):
		// The decoder counts from where its buffer began for some errors;
		// the end of the last token is right for all.
		offset = r.start(offset)
		if rest := r.data[min(offset, len(r.data)):]; bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")) {
			e.message = commentInJSON
		}
	}
	before := r.data[:min(offset, len(r.data))]
	e.line = 1 + bytes.Count(before, []byte("\n"))
	e.column = len(before) - bytes.LastIndexByte(before, '\n')
	return e
}

// start skips what may stand between two tokens.
func (r *jsonReader) start(offset int) int {
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

// noSyntax stands for that of all values of a bare reader, and is only read.
var noSyntax yaml.Node

// node begins the syntax of the value that comes next.
func (r *jsonReader) node() *yaml.Node {
	if r.bare {
		return &noSyntax
	}
	line, column := r.position()
	return &yaml.Node{Line: line, Column: column}
}

// be says what a node is.
func (r *jsonReader) be(n *yaml.Node, kind yaml.Kind, text string) {
	if !r.bare {
		n.Kind, n.Value = kind, text
	}
}

// hold puts parts into a node.
func (r *jsonReader) hold(n *yaml.Node, parts ...*yaml.Node) {
	if !r.bare {
		n.Content = append(n.Content, parts...)
	}
}

// position returns the place of the token that comes next.
func (r *jsonReader) position() (line, column int) {
	offset := r.start(int(r.dec.InputOffset()))
	for i, c := range r.data[r.at:offset] {
		if c == '\n' {
			r.line++
			r.begin = r.at + i + 1
		}
	}
	r.at = offset
	return r.line, offset - r.begin + 1
}

// token is the next token; io.EOF means that there is none and no value is open.
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
			return jsonValue{}, &jsonError{line: n.Line, column: n.Column, certain: true, noPath: true,
				message: tooDeep}
		}
		if t == '[' {
			return r.list(n)
		}
		return r.object(n)
	case string:
		if r.be(n, yaml.ScalarNode, t); !r.bare {
			n.Style = yaml.DoubleQuotedStyle
		}
		return jsonValue{t, n}, nil
	case json.Number:
		r.be(n, yaml.ScalarNode, t.String())
		if i, err := t.Int64(); err == nil {
			return jsonValue{i, n}, nil
		}
		f, err := t.Float64()
		if err != nil {
			return jsonValue{}, &jsonError{line: n.Line, column: n.Column, certain: true, message: "number out of range"}
		}
		return jsonValue{f, n}, nil
	case bool:
		r.be(n, yaml.ScalarNode, strconv.FormatBool(t))
		return jsonValue{t, n}, nil
	}
	r.be(n, yaml.ScalarNode, "null")
	return jsonValue{nil, n}, nil
}

func (r *jsonReader) list(n *yaml.Node) (jsonValue, error) {
	r.be(n, yaml.SequenceNode, "")
	list := []any{}
	for r.dec.More() {
		item, err := r.next()
		if err != nil {
			return jsonValue{}, within(err, fmt.Sprintf("[%d]", len(list)))
		}
		list = append(list, item.value)
		r.hold(n, item.node)
	}
	_, err := r.token()
	return jsonValue{list, n}, err
}

func (r *jsonReader) object(n *yaml.Node) (jsonValue, error) {
	r.be(n, yaml.MappingNode, "")
	object := map[string]any{}
	for r.dec.More() {
		key, err := r.next()
		if err != nil {
			return jsonValue{}, err
		}
		name, ok := key.value.(string)
		if !ok {
			return jsonValue{}, &jsonError{line: key.node.Line, column: key.node.Column, message: "not JSON: want a string as key"}
		}
		if _, twice := object[name]; twice {
			return jsonValue{}, within(&jsonError{line: key.node.Line, column: key.node.Column, certain: true,
				message: fmt.Sprintf("key given twice, first on line %d", firstLine(n, name))}, "."+name)
		}
		field, err := r.next()
		if err != nil {
			return jsonValue{}, within(err, "."+name)
		}
		object[name] = field.value
		r.hold(n, key.node, field.node)
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

func within(err error, step string) error {
	var je *jsonError
	if errors.As(err, &je) && !je.noPath {
		je.path = step + je.path
	}
	return err
}
