// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
)

var lineNumber = regexp.MustCompile(`^line (\d+): `)

// syntaxErrors are the messages of the decoder with the lines of the file, and with
// what mends them where that is known.
func (d *document) syntaxErrors(err error) Errors {
	messages := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	var te *yamlv2.TypeError
	if errors.As(err, &te) {
		messages = te.Errors
	}
	errs := make(Errors, len(messages))
	for i, m := range messages {
		errs[i] = d.syntaxError(m)
	}
	return errs
}

// fromParser begins the messages of the decoder that count lines from 0; others count
// from 1.
var fromParser = regexp.MustCompile(`^did not find expected (key|',' or|node content|'-' indicator|<)`)

// valueIn finds the value in messages of the decoder that have one and no line. What is
// said instead is its line: it may be what a Secret holds.
var valueIn = regexp.MustCompile("(?s)^(unknown anchor|cannot decode !!\\w+) ['`](.+)['`]( referenced| as a)")

func (d *document) syntaxError(message string) *Error {
	if strings.HasPrefix(message, "invalid map key: ") {
		return d.keyError()
	}
	n := 1
	if found := lineNumber.FindStringSubmatch(message); found != nil {
		n, _ = strconv.Atoi(found[1]) // the pattern allows digits only
		message = message[len(found[0]):]
		if fromParser.MatchString(message) {
			n++
		}
	}
	lines := bytes.Split(bytes.TrimRight(d.data, " \t\r\n"), []byte("\n"))
	if found := valueIn.FindStringSubmatchIndex(message); found != nil {
		value := []byte(message[found[4]:found[5]])
		message = message[:found[3]] + message[found[6]:]
		if at := slices.IndexFunc(lines, func(line []byte) bool { return bytes.Contains(line, value) }); at >= 0 {
			n = at + 1
		}
	}
	n = min(n, len(lines))
	hint, column := mend(message, string(lines[n-1]))
	if column == 0 {
		if text, ok := template(lines); ok {
			n, column, hint = text.Line, text.Column, templateHint
		}
	}
	return &Error{File: d.file, Line: d.line + n - 1, Column: column, Message: "not YAML: " + message + hint}
}

const templateHint = ": {{ }} belongs to a template; render it first, as helm template does"

// template returns where the first {{ stands.
func template(lines [][]byte) (at Position, ok bool) {
	for i, line := range lines {
		if at := bytes.Index(line, []byte("{{")); at >= 0 {
			return Position{Line: i + 1, Column: column(string(line), at)}, true
		}
	}
	return Position{}, false
}

// mend returns what would mend a line that the decoder cannot read, and the column
// where it goes wrong; 0 if that is not known.
func mend(message, line string) (hint string, at int) {
	body := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(body)]
	tab := strings.IndexByte(indent, '\t')
	switch {
	case tab >= 0 && (strings.Contains(message, "tab character") || strings.Contains(message, "cannot start any token")):
		return ": YAML is indented with spaces, not tabs", column(line, tab)
	case strings.Contains(message, "cannot start any token"):
		if i := strings.IndexAny(line, "@`%\t"); i >= 0 {
			return ": quote a text that begins with " + strconv.Quote(line[i:i+1]), column(line, i)
		}
	case strings.Contains(message, "mapping values are not allowed"):
		first := strings.Index(line, ": ")
		if second := strings.Index(line[first+1:], ": "); first >= 0 && second >= 0 {
			return `: there is a ": " too many in the line; quote the text that has it`, column(line, first+1+second)
		}
		return ": the line above has a value already; is this one indented too far?", column(line, len(indent))
	case strings.Contains(message, "did not find expected key"), strings.Contains(message, "'-' indicator"):
		return ": is the line indented as those above it?", column(line, len(indent))
	case strings.Contains(message, "<document start>"):
		return ": the value before this line is whole; a line --- goes between two", column(line, len(indent))
	case strings.Contains(message, "unexpected end of stream"):
		return ": a quote is opened and not closed", 0
	case strings.Contains(message, "unknown anchor"):
		return `: quote a text that begins with "*"`, 0
	}
	return "", 0
}

// column counts the characters of line before the byte at, and one.
func column(line string, at int) int { return utf8.RuneCountInString(line[:at]) + 1 }

// keyError says which key is no text, of a document that has one.
func (d *document) keyError() *Error {
	e := &Error{File: d.file, Line: d.line, Message: "not YAML: want a string as key"}
	var walk func(n *yaml.Node, path string) bool
	walk = func(n *yaml.Node, path string) bool {
		for i, c := range n.Content {
			at := path
			switch n.Kind {
			case yaml.SequenceNode:
				at += "[" + strconv.Itoa(i) + "]"
			case yaml.MappingNode:
				if k := n.Content[i&^1]; i%2 == 0 && (c.Kind == yaml.MappingNode || c.Kind == yaml.SequenceNode) {
					e.Line, e.Column, e.Path = c.Line, c.Column, path
					e.Message += ", got " + map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list"}[c.Kind]
					if n.Style&c.Style&yaml.FlowStyle != 0 {
						e.Message += templateHint
					}
					return true
				} else if i%2 == 1 {
					at += "." + keyText(k)
				}
			}
			if walk(c, at) {
				return true
			}
		}
		return false
	}
	if n := d.node(0); n != nil {
		walk(n, "")
	}
	return e
}
