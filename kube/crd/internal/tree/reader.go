// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Reader takes fields of plain data by the type that they must have. What is of
// another type is reported and read as absent, as null is.
type Reader struct{ Tell Tell }

// Tell takes what cannot be read.
type Tell func(why Unreadable, at *Place, format string, args ...any)

// Unreadable is why something cannot be read.
type Unreadable string

const (
	// Malformed is of another type.
	Malformed Unreadable = "malformed"
	tooDeep   Unreadable = "too-deep"
	tooLarge  Unreadable = "too-large"
)

func (r Reader) problem(why Unreadable, at *Place, format string, args ...any) {
	if r.Tell != nil {
		r.Tell(why, at, format, args...)
	}
}

func (r Reader) wrong(at *Place, want string, found any) {
	r.problem(Malformed, at, "want %s, found %s", want, Shape(found))
}

// Text returns a field that is a string.
func (r Reader) Text(m map[string]any, at *Place, field string) string {
	s, _ := r.OptionalText(m, at, field)
	return s
}

// OptionalText is Text, and whether the field is there.
func (r Reader) OptionalText(m map[string]any, at *Place, field string) (s string, ok bool) {
	v := m[field]
	if s, ok = v.(string); !ok && v != nil {
		r.wrong(at.At(field), "a string", v)
	}
	return s, ok
}

// Flag returns a field that is a boolean.
func (r Reader) Flag(m map[string]any, at *Place, field string) bool {
	b, _ := r.OptionalFlag(m, at, field)
	return b
}

// OptionalFlag is Flag, and whether the field is there.
func (r Reader) OptionalFlag(m map[string]any, at *Place, field string) (b, ok bool) {
	v := m[field]
	if b, ok = v.(bool); !ok && v != nil {
		r.wrong(at.At(field), "true or false", v)
	}
	return b, ok
}

// Integer checks that a field is one.
func (r Reader) Integer(m map[string]any, at *Place, field string) {
	if v := m[field]; v != nil {
		if _, ok := v.(int64); !ok {
			r.wrong(at.At(field), "an integer", v)
		}
	}
}

// number checks that a field is one.
func (r Reader) number(m map[string]any, at *Place, field string) {
	switch v := m[field].(type) {
	case nil, int64, float64:
	default:
		r.wrong(at.At(field), "a number", v)
	}
}

// List returns a field that is a list.
func (r Reader) List(m map[string]any, at *Place, field string) []any {
	v := m[field]
	l, ok := v.([]any)
	if !ok && v != nil {
		r.wrong(at.At(field), "a list", v)
	}
	return l
}

// Texts returns a field that is a list of strings.
func (r Reader) Texts(m map[string]any, at *Place, field string) []string {
	var all []string
	for i, v := range r.List(m, at, field) {
		s, ok := v.(string)
		if !ok {
			r.wrong(at.At(field).Nth(i), "a string", v)
			continue
		}
		all = append(all, s)
	}
	return all
}

// Mapping returns a field that is a map.
func (r Reader) Mapping(m map[string]any, at *Place, field string) map[string]any {
	v := m[field]
	sub, ok := v.(map[string]any)
	if !ok && v != nil {
		r.wrong(at.At(field), "a map", v)
	}
	return sub
}

// Item returns an item of a list as a map.
func (r Reader) Item(v any, at *Place) map[string]any {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		r.wrong(at, "a map", v)
	}
	return m
}

// Shape names a value in messages.
func Shape(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("the string %q", Shorten(v, MaxValue))
	case bool:
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("the number %v", v)
}

// MaxValue bounds the text of a value in a message, in bytes at either end.
const MaxValue = 100

// Flow renders a value as YAML in one line, cut where it is too long.
func Flow(v any) string { return Shorten(flow.Of(v, 4*MaxValue), MaxValue) }

// SortedKeys returns the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
