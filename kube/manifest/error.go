// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Position is a place in a file. Line and Column start at 1, and 0 means unknown.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns file:line, without unknown parts.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// withColumn returns file:line:column, without unknown parts.
func (p Position) withColumn() string {
	if p.Line == 0 || p.Column == 0 {
		return p.String()
	}
	return fmt.Sprintf("%v:%d", p, p.Column)
}

// Error is one problem of a file.
type Error struct {
	File string
	// Line and Column count from 1. They are 0 if they are unknown or do not apply.
	Line, Column int
	// Path is the path in the object in the notation of the API server, or "" if it is not
	// known.
	Path    string
	Message string
}

// Error returns file:line:column: path: message, without empty parts.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(Position{e.File, e.Line, e.Column}.withColumn() + ": ")
	}
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// Errors is a list of errors.
type Errors []*Error

// Error returns one line for each error.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// kindAndValue returns the kind of a value for messages, with the value if it is a short
// scalar.
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

// maxShown is the length up to which a message shows a value.
const maxShown = 100
