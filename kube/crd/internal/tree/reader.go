// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Reader reads the fields of plain data by type. If a value has a wrong type, Reader reports
// it and treats it as absent. Null also counts as absent.
type Reader struct{ Report ReportFunc }

// ReportFunc is called for each value that cannot be read. The message consists of format and args, as
// in fmt.Sprintf.
type ReportFunc func(problem Problem, at *Place, format string, args ...any)

// Problem is the reason why a value cannot be read. It is the id of a rule of package crd.
type Problem string

const (
	// Malformed means that a value has a wrong type.
	Malformed Problem = "malformed"
	tooDeep   Problem = "too-deep"
	tooLarge  Problem = "too-large"
)

func (r Reader) report(problem Problem, at *Place, format string, args ...any) {
	if r.Report != nil {
		r.Report(problem, at, format, args...)
	}
}

func (r Reader) wrong(at *Place, want string, found any) {
	r.report(Malformed, at, "want %s, found %s", want, Shape(found))
}

// Text returns a string field, or "" if it is absent.
func (r Reader) Text(m map[string]any, at *Place, field string) string {
	s, _ := r.OptionalText(m, at, field)
	return s
}

// OptionalText returns a string field. ok is false if the field is absent.
func (r Reader) OptionalText(m map[string]any, at *Place, field string) (s string, ok bool) {
	v := m[field]
	if s, ok = v.(string); !ok && v != nil {
		r.wrong(at.At(field), "a string", v)
	}
	return s, ok
}

// Flag returns a boolean field, or false if it is absent.
func (r Reader) Flag(m map[string]any, at *Place, field string) bool {
	b, _ := r.OptionalFlag(m, at, field)
	return b
}

// OptionalFlag returns a boolean field. ok is false if the field is absent.
func (r Reader) OptionalFlag(m map[string]any, at *Place, field string) (b, ok bool) {
	v := m[field]
	if b, ok = v.(bool); !ok && v != nil {
		r.wrong(at.At(field), "true or false", v)
	}
	return b, ok
}

// Integer reports a field whose value is not an integer.
func (r Reader) Integer(m map[string]any, at *Place, field string) {
	if v := m[field]; v != nil {
		if _, ok := v.(int64); !ok {
			r.wrong(at.At(field), "an integer", v)
		}
	}
}

// number reports a field whose value is not a number.
func (r Reader) number(m map[string]any, at *Place, field string) {
	switch v := m[field].(type) {
	case nil, int64, float64:
	default:
		r.wrong(at.At(field), "a number", v)
	}
}

// List returns a list field, or nil if it is absent.
func (r Reader) List(m map[string]any, at *Place, field string) []any {
	v := m[field]
	l, ok := v.([]any)
	if !ok && v != nil {
		r.wrong(at.At(field), "a list", v)
	}
	return l
}

// Texts returns the strings in a list field. It reports items that are not strings and
// omits them.
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

// Mapping returns a map field, or nil if it is absent.
func (r Reader) Mapping(m map[string]any, at *Place, field string) map[string]any {
	v := m[field]
	sub, ok := v.(map[string]any)
	if !ok && v != nil {
		r.wrong(at.At(field), "a map", v)
	}
	return sub
}

// Item returns the list item v as a map, or nil if it is not a map. The argument at is the place of
// the item.
func (r Reader) Item(v any, at *Place) map[string]any {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		r.wrong(at, "a map", v)
	}
	return m
}

// Shape describes a value for messages. Examples of results are "a map" and "the number 5".
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

// MaxValue limits the length of a value in a message. A longer value is shortened to its first and
// last MaxValue bytes.
const MaxValue = 100

// Flow returns a value as YAML in one line, shortened if it is long.
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
