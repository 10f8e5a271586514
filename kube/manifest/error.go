// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Position is a position in a file. Line and Column start at 1. A value of 0 means that the line or
// the column is not known.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns the position as "file:line". It omits the line if it is not known.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// withColumn returns the position as "file:line:column". It omits the parts that are not
// known.
func (p Position) withColumn() string {
	if p.Line == 0 || p.Column == 0 {
		return p.String()
	}
	return fmt.Sprintf("%v:%d", p, p.Column)
}

// Error is one problem in a file.
type Error struct {
	File string
	// Line and Column start at 1. They are 0 if they are not known or do not apply.
	Line, Column int
	// Path is the path in the object, as API servers write it, or "" if it is not known.
	Path    string
	Message string
}

// Error returns the problem as "file:line:column: path: message". It omits parts that are
// empty.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(Position{e.File, e.Line, e.Column}.withColumn() + ": ")
	}
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Message)
	return onOneLine.Replace(b.String())
}

// onOneLine escapes line breaks, which names and values in a file can contain. A log could otherwise show a
// part of such a name as a line of its own, and a CI system could take this line for a command.
var onOneLine = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// Errors is a list of errors.
type Errors []*Error

// Error returns the problems, one per line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// kindAndValue describes a value for messages. For a short scalar, the description contains the
// value, as in "the number 5". For other values, it is only the kind, such as "a list".
func kindAndValue(v any) string {
	kind := kindOf(v)
	switch v.(type) {
	case nil, map[any]any, map[string]any, []any:
		return kind
	}
	text := flow.Of(v, maxShown)
	if len(text) > maxShown {
		return kind
	}
	return strings.Replace(kind, "a ", "the ", 1) + " " + text
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[any]any, map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	}
	return "a number"
}

// maxShown is the maximum length of a value in a message.
const maxShown = 100
