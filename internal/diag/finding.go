// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package diag is what can be found wrong with data: where, which rule, what
// was found and what was wanted. Start from [Finding]. One is made where the rule
// is broken, with an empty path; each caller puts its own path element in front
// while the call unwinds, so that success pays nothing:
//
//	return diag.Newf(diag.WrongType, "expected string, got %v", v)
//	...
//	return item(v).Prefix(".name")
//
// The package refuses to know schemas and data, and what an error looks like to
// a user.
package diag

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Code names the rule that was broken. Codes are stable; texts are not.
type Code string

// The codes, each with the smallest input that provokes it.
const (
	// WrongType: a string where the schema has a number.
	WrongType Code = "wrong-type"
	// Undeclared: {b: 1} where the struct declares only a.
	Undeclared Code = "undeclared"
	// Duplicate: [x, x] in a list-type set.
	Duplicate Code = "duplicate"
	// NoIdentity: {} in a list whose key has no default.
	NoIdentity Code = "no-identity"
	// BadSchema: a reference to a type that is not there.
	BadSchema Code = "bad-schema"
	// Suspicious: {port: 80} where the one live item with port 80 has a
	// protocol, which is a key without default. Not an error.
	Suspicious Code = "suspicious"
	// TooDeep: lists within lists, ten thousand times and one more.
	TooDeep Code = "too-deep"
	// Misuse: two values of different types are merged. Not about data.
	Misuse Code = "misuse"
)

// Finding is one thing that is wrong.
type Finding struct {
	// Path is where, as the API server writes paths: .a.b[name="c"].
	Path string
	Code Code
	// Message is the text that structured-merge-diff gives for it.
	Message string
	// Found is the offending value as plain data, nil if that says nothing.
	Found any
	// Want says what the schema allows: "map", "list", "string", ...; empty if
	// that says nothing.
	Want string
	// First and Second are the indexes of two items with one identity, and
	// Filled the keys of theirs that came from a default. Only for Duplicate;
	// of NoIdentity, First is the index of the item, if there is what was Found.
	First, Second int
	Filled        []FilledKey
}

// FilledKey is a key of a list item that was not written but taken from the
// schema's default.
type FilledKey struct {
	// Index is the item's index in its list.
	Index int
	Name  string
	Value any
}

// Error returns the path and the message, in the words of structured-merge-diff.
func (f *Finding) Error() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + ": " + f.Message
}

// Of returns the finding that err was made from, nil if it was made from none.
func Of(err error) *Finding {
	var f *Finding
	errors.As(err, &f)
	return f
}

// Findings are all that is wrong.
type Findings []Finding

// Error returns the one finding, or all of them on lines of their own.
func (fs Findings) Error() string {
	if len(fs) == 1 {
		return fs[0].Error()
	}
	var b strings.Builder
	b.WriteString("errors:")
	for i := range fs {
		b.WriteString("\n  ")
		b.WriteString(fs[i].Error())
	}
	return b.String()
}

// Newf returns one finding with an empty path and a formatted message.
func Newf(code Code, format string, args ...any) Findings {
	return Findings{{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// Prefix puts prefix in front of every path and returns fs.
func (fs Findings) Prefix(prefix string) Findings {
	for i := range fs {
		fs[i].Path = prefix + fs[i].Path
	}
	return fs
}

// Under is what was found below one child of a map.
type Under struct {
	Name string
	Findings
}

// Join returns the findings of the children of one map in the order of the
// children's names: Go's map order must not show.
func Join(children []Under) Findings {
	switch len(children) {
	case 0:
		return nil
	case 1:
		return children[0].Findings
	}
	slices.SortStableFunc(children, func(a, b Under) int { return strings.Compare(a.Name, b.Name) })
	var all Findings
	for _, c := range children {
		all = append(all, c.Findings...)
	}
	return all
}

// maxFlow is how many bytes of a value stand in a message.
const maxFlow = 200

// Wanted says what the schema allows where a finding is of the wrong type: a string.
func (f *Finding) Wanted() string {
	if f.Want == "map" {
		return "a mapping"
	}
	return "a " + f.Want
}

// Got says what was found, as YAML: the mapping {a: b}.
func (f *Finding) Got() string {
	if f.Found == nil {
		return "null"
	}
	return f.Noun() + " " + flow.Short(f.Found, maxFlow)
}

// Noun says what kind of value was found.
func (f *Finding) Noun() string {
	switch f.Found.(type) {
	case nil:
		return "null"
	case map[string]any, map[any]any:
		return "the mapping"
	case []any:
		return "the list"
	case bool:
		return "the boolean"
	case string:
		return "the string"
	case int64, float64, int, int32, int16, int8, uint, uint32, uint16, uint8, float32:
		return "the number"
	}
	return "the value"
}

// Place returns path, as findings have it, without what tells items of lists apart.
func Place(path string) string {
	if !strings.Contains(path, "[") {
		return path
	}
	var b strings.Builder
	quoted, depth := false, 0
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case quoted && c == '\\':
			i++
		case depth > 0 && c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
			continue
		}
		if depth == 0 {
			b.WriteByte(path[i])
		}
	}
	return b.String()
}
