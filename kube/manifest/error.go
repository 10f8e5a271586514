// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Position is a place in a file. Line and Column count from 1; 0 is unknown.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns file:line, without what is unknown.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// withColumn returns file:line:column, without what is unknown.
func (p Position) withColumn() string {
	if p.Line == 0 || p.Column == 0 {
		return p.String()
	}
	return fmt.Sprintf("%v:%d", p, p.Column)
}

// Error is one thing that is wrong with a file.
type Error struct {
	File string
	// Line and Column count from 1; 0 if they are unknown or say nothing.
	Line, Column int
	// Path is where in the object, as the API server writes paths, if known.
	Path    string
	Message string
}

// Error returns file:line:column: path: message, without what is empty.
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

// Errors are several of them.
type Errors []*Error

// Error returns one line for each.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// kindAndValue is kindOf with the value, if it is a scalar.
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

// maxShown is how long a value is that is shown in a message.
const maxShown = 100
