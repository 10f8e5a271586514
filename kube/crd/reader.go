// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// reader takes fields of plain data by the type that they must have. What is of
// another type is reported and read as absent, as null is.
type reader struct{ tell tell }

// tell takes what cannot be read.
type tell func(why unreadable, at *place, format string, args ...any)

// unreadable is why something cannot be read.
type unreadable string

const (
	malformed unreadable = "malformed"
	tooDeep   unreadable = "too-deep"
	tooLarge  unreadable = "too-large"
)

func (r reader) problem(why unreadable, at *place, format string, args ...any) {
	if r.tell != nil {
		r.tell(why, at, format, args...)
	}
}

func (r reader) wrong(at *place, want string, found any) {
	r.problem(malformed, at, "want %s, found %s", want, shape(found))
}

func (r reader) text(m map[string]any, at *place, field string) string {
	s, _ := r.optionalText(m, at, field)
	return s
}

func (r reader) optionalText(m map[string]any, at *place, field string) (s string, ok bool) {
	v := m[field]
	if s, ok = v.(string); !ok && v != nil {
		r.wrong(at.at(field), "a string", v)
	}
	return s, ok
}

func (r reader) flag(m map[string]any, at *place, field string) bool {
	b, _ := r.optionalFlag(m, at, field)
	return b
}

func (r reader) optionalFlag(m map[string]any, at *place, field string) (b, ok bool) {
	v := m[field]
	if b, ok = v.(bool); !ok && v != nil {
		r.wrong(at.at(field), "true or false", v)
	}
	return b, ok
}

// integer checks that a field is one.
func (r reader) integer(m map[string]any, at *place, field string) {
	if v := m[field]; v != nil {
		if _, ok := v.(int64); !ok {
			r.wrong(at.at(field), "an integer", v)
		}
	}
}

// number checks that a field is one.
func (r reader) number(m map[string]any, at *place, field string) {
	switch v := m[field].(type) {
	case nil, int64, float64:
	default:
		r.wrong(at.at(field), "a number", v)
	}
}

func (r reader) list(m map[string]any, at *place, field string) []any {
	v := m[field]
	l, ok := v.([]any)
	if !ok && v != nil {
		r.wrong(at.at(field), "a list", v)
	}
	return l
}

func (r reader) texts(m map[string]any, at *place, field string) []string {
	var all []string
	for i, v := range r.list(m, at, field) {
		s, ok := v.(string)
		if !ok {
			r.wrong(at.at(field).nth(i), "a string", v)
			continue
		}
		all = append(all, s)
	}
	return all
}

func (r reader) mapping(m map[string]any, at *place, field string) map[string]any {
	v := m[field]
	sub, ok := v.(map[string]any)
	if !ok && v != nil {
		r.wrong(at.at(field), "a map", v)
	}
	return sub
}

// item returns an item of a list as a map.
func (r reader) item(v any, at *place) map[string]any {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		r.wrong(at, "a map", v)
	}
	return m
}

// shape names a value in messages.
func shape(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("the string %q", shorten(v, maxValue))
	case bool:
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("the number %v", v)
}

// maxValue bounds the text of a value in a message, in bytes at either end.
const maxValue = 100

// flow renders a value as YAML in one line, cut where it is too long.
func flow(v any) string { return shorten(manifest.Flow(v, 4*maxValue), maxValue) }

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
