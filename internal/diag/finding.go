// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package diag describes errors in data: the path, the broken rule, the actual value and the
// expected type. Start with [Finding]. The function that detects an error returns a finding with
// an empty path. Each caller then adds its own path element at the front. So no paths are
// computed for valid data:
//
//	return diag.Newf(diag.WrongType, "expected string, got %v", v)
//	...
//	return item(v).Prefix(".name")
//
// The package does not depend on schemas, and does not decide how users see an error.
package diag

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Code identifies the broken rule. Codes are stable, messages are not.
type Code string

// These are the codes, each with an example of an input that breaks the rule.
const (
	// WrongType: the schema requires a number, and the value is a string.
	WrongType Code = "wrong-type"
	// Undeclared: the struct declares only the field "a", and the value is {b: 1}.
	Undeclared Code = "undeclared"
	// Duplicate: the value of a set is [x, x].
	Duplicate Code = "duplicate"
	// NoIdentity: an item is {}, and the key of the list has no default.
	NoIdentity Code = "no-identity"
	// BadSchema: the schema refers to a type that it does not define.
	BadSchema Code = "bad-schema"
	// Suspicious: an item lacks a key that has no default, and exactly one live item has the same
	// values in all other keys. For example, the item is {port: 80}, and the live item is {port: 80,
	// protocol: UDP}. This is not an error.
	Suspicious Code = "suspicious"
	// TooDeep: lists are nested 10,001 levels deep. The path of the finding is shortened.
	TooDeep Code = "too-deep"
	// Misuse: a caller merges two values of different types. The data itself may be valid.
	Misuse Code = "misuse"
)

// Finding is one error in data.
type Finding struct {
	// Path is the path of the error in the notation of the API server, such as .a.b[name="c"].
	Path string
	Code Code
	// Message is the same message as in structured-merge-diff. If structured-merge-diff does not
	// find the error, as for Suspicious, this module defines the message.
	Message string
	// Found is the invalid value as plain data. It is nil if the error does not depend on the
	// value.
	Found any
	// Want is the type that the schema allows, such as "map", "list" or "string". It is empty if
	// the error does not depend on the type.
	Want string
	// First and Second are indexes of list items. For Duplicate, they are the indexes of two items
	// with the same identity, and Filled lists the keys that these items got from defaults. For
	// NoIdentity, First is the index of the item without an identity.
	First, Second int
	Filled        []FilledKey
	// Keys lists the keys of the list, and Lacks lists the keys that the item needs. Both are for
	// findings with the code NoIdentity. Keys is empty if the list is a set. Lacks is empty if the
	// item is not a map.
	Keys, Lacks []string
}

// FilledKey is a key that is missing in a list item, so that the item got the default of the
// key.
type FilledKey struct {
	// Index is the item's index in its list.
	Index int
	Name  string
	Value any
}

// Error returns the path and the message, as structured-merge-diff does.
func (f *Finding) Error() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + ": " + f.Message
}

// Of returns the finding inside err, or nil if there is none.
func Of(err error) *Finding {
	var f *Finding
	errors.As(err, &f)
	return f
}

// Findings contains all errors that were found in a value.
type Findings []Finding

// Error returns a single finding on one line, and several findings as a list.
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

// Newf returns a list with a single finding, which has an empty path and a formatted message.
func Newf(code Code, format string, args ...any) Findings {
	return Findings{{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// Prefix puts prefix in front of every path and returns fs. The path of a TooDeep finding has
// thousands of elements, so Prefix shortens it.
func (fs Findings) Prefix(prefix string) Findings {
	for i := range fs {
		fs[i].Path = prefix + fs[i].Path
		if fs[i].Code == TooDeep {
			fs[i].Path = shortPath(fs[i].Path)
		}
	}
	return fs
}

// shortPath replaces the middle of a long path with an ellipsis, and keeps up to 80 bytes at each
// end. Callers may add a prefix to the result and shorten it again. This does not change the end of
// the path.
func shortPath(path string) string {
	const end, ellipsis = 80, "…"
	if len(path) <= 2*end+len(ellipsis) {
		return path
	}
	head, tail := path[:end], path[len(path)-end:]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return strings.ToValidUTF8(head, "") + ellipsis + strings.TrimPrefix(tail, ellipsis)
}

// ChildFindings holds the name of one child of a map, and the findings in that child.
type ChildFindings struct {
	Name string
	Findings
}

// Join returns the findings in all children of a map. It sorts the children by name, so that
// the result does not depend on the order of Go maps. It sorts the slice children in place.
func Join(children []ChildFindings) Findings {
	switch len(children) {
	case 0:
		return nil
	case 1:
		return children[0].Findings
	}
	slices.SortStableFunc(children, func(a, b ChildFindings) int { return strings.Compare(a.Name, b.Name) })
	var all Findings
	for _, c := range children {
		all = append(all, c.Findings...)
	}
	return all
}

// PlainMessage returns a message that is easier to read than Message: it shows a value of the wrong
// type, and an item without an identity, as YAML.
func (f *Finding) PlainMessage() string {
	switch {
	case f.Code == WrongType && f.Want != "":
		return "want " + f.Wanted() + ", got " + f.Got()
	case f.Code == NoIdentity:
		return f.NoIdentityMessage(fmt.Sprintf("item %d", f.First))
	}
	return f.Message
}

// NoIdentityMessage returns a message about a list item without an identity. The argument name
// names the item, for example "item 1".
func (f *Finding) NoIdentityMessage(name string) string {
	isMap := f.Noun() == mapping
	switch {
	case len(f.Lacks) > 0:
		return fmt.Sprintf("%s %s cannot be identified in its list, because it lacks the %s", name, flow.Short(f.Found, maxFlow), keyNames(f.Lacks))
	case isMap && len(f.Keys) > 0: // the schema has a fault
		_, why, _ := strings.Cut(f.Message, ": ")
		return fmt.Sprintf("%s %s: %s", name, flow.Short(f.Found, maxFlow), why)
	case len(f.Keys) > 0:
		return fmt.Sprintf("%s: want a mapping with the %s, got %s", name, keyNames(f.Keys), f.Got())
	}
	return fmt.Sprintf("%s: want a string, number or boolean as an item of a set, got %s", name, f.Got())
}

// keyNames returns the names of list keys as "key a" or "keys a, b and c".
func keyNames(names []string) string {
	if len(names) == 1 {
		return "key " + names[0]
	}
	last := len(names) - 1
	return "keys " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// maxFlow is the maximum length, in bytes, of a value in a message.
const maxFlow = 200

// Wanted returns the type that the schema allows, with an article, for example "a string". It
// is for findings with the code WrongType.
func (f *Finding) Wanted() string {
	if f.Want == "map" {
		return "a mapping"
	}
	return "a " + f.Want
}

// Got returns the invalid value with its type, as YAML, for example "the mapping {a: b}". If the value is
// not plain data, Got returns only its Go type.
func (f *Finding) Got() string {
	switch noun := f.Noun(); noun {
	case "null":
		return noun
	case other:
		return fmt.Sprintf("a Go value of type %T", f.Found)
	default:
		return noun + " " + flow.Short(f.Found, maxFlow)
	}
}

// other is the noun for a Go value that is not plain data.
const other = "the value"

// mapping is the noun for a map.
const mapping = "the mapping"

// Noun returns the type of the invalid value with an article, for example "the mapping".
func (f *Finding) Noun() string {
	switch f.Found.(type) {
	case nil:
		return "null"
	case map[string]any, map[any]any:
		return mapping
	case []any:
		return "the list"
	case bool:
		return "the boolean"
	case string:
		return "the string"
	case int64, float64, int, int32, int16, int8, uint, uint32, uint16, uint8, float32:
		return "the number"
	}
	return other
}

// WithoutItems returns a path without the keys and indexes of list items. For example, it returns
// .a.b for .a[name="x"].b.
func WithoutItems(path string) string {
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
