// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"
)

// MaxSize is the maximum size of a file in bytes. The largest published OpenAPI document
// has 25 MB.
const MaxSize = 64 << 20

// Read returns the objects in data, in order. It reads all documents. For a List, it
// returns the items and not the List itself. name is the file name for messages. Data that
// begins with the tag of self-described CBOR is read as CBOR, and has no line numbers.
//
// The error has the type Errors and contains all problems. Even if there is an error, Read
// returns the objects that have no problems. Empty documents are ignored.
func Read(name string, data []byte) ([]*Object, error) {
	if len(data) > MaxSize {
		return nil, Errors{{File: name, Message: fmt.Sprintf("the file is larger than %d MiB", MaxSize>>20)}}
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, Errors{{File: name, Line: 1, Message: "the file is UTF-16; convert it to UTF-8"}}
	}
	var (
		objects []*Object
		errs    Errors
	)
	for _, d := range split(name, data) {
		roots, err := d.decode()
		if err != nil {
			errs = append(errs, err...)
			continue
		}
		for _, root := range roots {
			found, err := root.objects()
			objects = append(objects, found...)
			errs = append(errs, err...)
		}
	}
	if len(errs) > 0 {
		return objects, errs
	}
	return objects, nil
}

// ReadMappings reads documents that are not Kubernetes objects, such as configuration files. Unlike
// Read, it accepts documents without apiVersion, kind or name. The error has the type Errors. It
// contains an error for each document that is not a mapping, and all errors of the decoder. Even if
// there is an error, ReadMappings returns the documents that have no problems. Empty documents are
// ignored, so the result can be empty.
func ReadMappings(name string, data []byte) ([]*Object, error) {
	var (
		objects []*Object
		errs    Errors
	)
	for _, d := range split(name, data) {
		roots, err := d.decode()
		errs = append(errs, err...)
		for _, root := range roots {
			o := &Object{root: root}
			switch v := root.value.(type) {
			case map[string]any:
				o.Content = v
				objects = append(objects, o)
			case nil: // an empty document
			default:
				errs = append(errs, o.Errorf("", "want a mapping, got %s", kindAndValue(v)))
			}
		}
	}
	if len(errs) > 0 {
		return objects, errs
	}
	return objects, nil
}

// ReadValues returns the documents in data as plain data: mappings with string keys, lists, strings,
// booleans, int64, float64, nil. The error has the type Errors and contains all errors of the decoder.
// Even if there is an error, ReadValues returns the documents that have no problems.
func ReadValues(name string, data []byte) ([]any, error) {
	var (
		values []any
		errs   Errors
	)
	for _, d := range split(name, data) {
		roots, err := d.decode()
		errs = append(errs, err...)
		for _, root := range roots {
			values = append(values, root.value)
		}
	}
	if len(errs) > 0 {
		return values, errs
	}
	return values, nil
}

// document is one document of a file. It contains YAML, or one or more JSON or CBOR
// values.
type document struct {
	file string
	// line is the line number of the first byte, or 0 for CBOR.
	line int
	// column is the number of bytes before the document on its first line.
	column int
	data   []byte
	// noLines is true if the document does not come from a file. Positions in the document then have
	// no lines.
	noLines bool
	// otherKeys is true if the YAML decoder has read a key as a boolean or a number.
	otherKeys bool
	// sortKeys makes toJSON visit map entries in the order of their keys.
	sortKeys bool

	once  sync.Once
	nodes []*yaml.Node
	// fields maps the node of each large mapping to an index of its fields.
	fields sync.Map
	// lists contains an index for each large list. The key is the address of the first item of
	// the list.
	lists struct {
		sync.Mutex
		indexes map[*any]*listIndex
	}
}

// root is one value of a document, with its position in the document.
type root struct {
	doc *document
	// index is the position of the value among the values of its document,
	// starting at 0.
	index int
	value any
}

// split splits data into documents. A line that separates two documents belongs to the document after
// it. Such a line cannot occur inside a JSON value. A CBOR file has no lines, so all of it is one
// document.
func split(file string, data []byte) []*document {
	if isCBOR(data) {
		return []*document{{file: file, data: data}}
	}
	var docs []*document
	start, startLine := 0, 1
	cut := func(end int) {
		if len(bytes.TrimSpace(data[start:end])) > 0 {
			docs = append(docs, &document{file: file, line: startLine, data: data[start:end]})
		}
	}
	line := 1
	for pos := 0; pos < len(data); line++ {
		next := len(data)
		if i := bytes.IndexByte(data[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		if is := boundaryOf(data[pos:next]); is != noBoundary {
			cut(pos)
			start, startLine = pos, line
			if n, ok := unreadable(data[pos:next], data[next:]); ok && is == separator {
				next += n
				start, startLine = next, line+1
			}
		}
		pos = next
	}
	cut(len(data))
	return docs
}

// boundary classifies a line by its effect on how kubectl splits a file into documents.
type boundary uint8

const (
	noBoundary boundary = iota
	// separator is a line "---", optionally with white space or a comment.
	separator
	// brokenSeparator is a line that begins with "---" and has other text. kubectl rejects it.
	brokenSeparator
	// documentEnd is a line "...". kubectl ignores all text between this line and the next separator.
	documentEnd
)

// maxBoundary is the number of bytes that boundaryOf reads from the start of a
// line.
const maxBoundary = 256

var byteOrderMark = []byte("\xef\xbb\xbf")

// boundaryOf classifies the first line of a text.
func boundaryOf(text []byte) boundary {
	if isMarker(text, "...") {
		return documentEnd
	}
	rest, ok := bytes.CutPrefix(text[:min(len(text), maxBoundary)], []byte("---"))
	if !ok {
		return noBoundary
	}
	rest, _, _ = bytes.Cut(rest, []byte("\n"))
	if isBlank(rest) {
		return separator
	}
	return brokenSeparator
}

// unreadable reports whether the YAML decoder would fail to read a document that starts with the given
// separator line. If ok is true, the caller leaves out the line. The argument behind is the text after
// the line, and mark is the size of the byte order mark at the start of this text.
func unreadable(line, behind []byte) (mark int, ok bool) {
	if bytes.HasPrefix(behind, byteOrderMark) {
		mark = len(byteOrderMark)
	}
	return mark, mark > 0 || !isMarker(line, "---")
}

// isBlank reports whether a line contains only white space or a comment.
func isBlank(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n')
}

// ignored returns an error if there is text after a line "...", because kubectl ignores
// such text.
func (d *document) ignored() Errors {
	rest := d.data[len("..."):]
	for line := d.line; len(rest) > 0; line++ {
		var text []byte
		if text, rest, _ = bytes.Cut(rest, []byte("\n")); !isBlank(text) {
			return Errors{{File: d.file, Line: line, Message: "kubectl ignores this text, because it follows the line \"...\": write the line \"---\" before it, or remove the line \"...\""}}
		}
	}
	return nil
}

// decode returns the values of the document. It returns none if the document
// is empty.
func (d *document) decode() ([]root, Errors) {
	if isCBOR(d.data) {
		return d.decodeCBOR()
	}
	before := boundaryOf(d.data)
	switch before {
	case brokenSeparator:
		return nil, Errors{{File: d.file, Line: d.line, Message: "kubectl rejects text after \"---\" on the same line: begin the document on the next line"}}
	case documentEnd:
		return nil, d.ignored()
	}
	if body, line, ok := d.json(); ok {
		roots, found, isJSON := d.decodeValues(body, line)
		if found == nil && len(roots) > 1 && (before == separator || d.line > 1) {
			second := d.node(1)
			return nil, Errors{{File: d.file, Line: second.Line, Column: second.Column, Message: secondValue}}
		}
		if found == nil {
			return roots, nil
		}
		if isJSON {
			return nil, Errors{found}
		}
		// A YAML flow mapping looks like a JSON object at first, so try both decoders.
		v, yerrs := d.decodeYAML()
		if yerrs != nil {
			if yerrs[0].Line > found.Line && found.Message != commentInJSON {
				return nil, yerrs // the YAML decoder got further, so its error is the better one
			}
			return nil, Errors{found}
		}
		return []root{{d, 0, v}}, nil
	}
	v, errs := d.decodeYAML()
	if errs != nil {
		return nil, errs
	}
	if v == nil {
		return nil, nil
	}
	return []root{{d, 0, v}}, nil
}

// secondValue is the error for text that kubectl ignores, because it follows a JSON value. kubectl
// reads such text only in a document at the start of a file that has no separator line before it.
const secondValue = "kubectl ignores this text, because it follows a JSON value in the same document: write the line \"---\" before it"

// decodeValues returns the JSON values in body, which is a part of the document and starts on the
// given line. isJSON is true if the text is certainly JSON, even if it has an error.
func (d *document) decodeValues(body []byte, line int) (roots []root, found *Error, isJSON bool) {
	values, err := decodeJSON(body, line)
	if err != nil {
		found = &Error{File: d.file, Line: line + err.line - 1, Column: err.column, Path: err.path, Message: err.message}
		if err.line == 1 && err.column > 0 {
			found.Column += d.columnOf(body)
		}
		return nil, found, err.isJSON
	}
	roots = make([]root, len(values))
	for i, v := range values {
		roots[i] = root{d, i, v}
	}
	return roots, nil, true
}

// columnOf returns the number of bytes before body on the line where body starts. body
// extends to the end of the document.
func (d *document) columnOf(body []byte) int {
	if len(body) < len(d.data) {
		return 0 // body follows a separator, so its columns start at 0
	}
	return d.column
}

// json returns the part of the document that looks like JSON, and its line number. ok is
// false if there is no such part.
func (d *document) json() (body []byte, line int, ok bool) {
	body, line = d.data, d.line
	if boundaryOf(body) == separator {
		_, body, _ = bytes.Cut(body, []byte("\n"))
		line++
	}
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	line += bytes.Count(body[:len(body)-len(trimmed)], []byte("\n"))
	return trimmed, line, len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[')
}

// node returns the syntax node of a value, or nil if it is not known. Only messages need syntax
// nodes, so node parses the document only when it is first called.
func (d *document) node(index int) *yaml.Node {
	d.once.Do(func() {
		if isCBOR(d.data) || d.noLines {
			return // such positions have no lines
		}
		if body, line, ok := d.json(); ok {
			if nodes, err := jsonNodes(body, line, d.columnOf(body)); err == nil {
				d.nodes = nodes
				return
			}
		}
		var n yaml.Node
		if yaml.Unmarshal(d.data, &n) != nil || len(n.Content) == 0 {
			return
		}
		shiftLines(&n, d.line-1)
		d.nodes = []*yaml.Node{n.Content[0]}
	})
	if index >= len(d.nodes) {
		return nil
	}
	return d.nodes[index]
}

// shiftLines increases the line numbers of n and of all nodes inside it.
func shiftLines(n *yaml.Node, by int) {
	n.Line += by
	for _, c := range n.Content {
		shiftLines(c, by)
	}
}
