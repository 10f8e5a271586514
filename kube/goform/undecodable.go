// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// UndecodableValue is a value that Go cannot decode into the type of its field.
type UndecodableValue struct {
	// Path leads to the value. It identifies list items by their index.
	Path  fieldpath.Path
	Value any
	// Problem is a phrase such as "must be an integer".
	Problem string
	// Wrapped is the value that an apply stores instead of Value; see [Release.Wrapping]. It is nil if an
	// apply fails too, because the server cannot decode Value.
	Wrapped any
}

// Wrapping returns a copy of the release that decodes integers in the same way as a server that decodes
// the merged object of an apply. If an integer is too large for its Go type, the server drops the upper
// bits of the integer: in an int32, 4294967896 becomes 600. A server rejects a create or an update with
// such an integer.
func (r *Release) Wrapping() *Release {
	return &Release{table: r.table, declares: r.declares, kept: r.kept, wraps: true}
}

// Undecodable returns the numbers, times and durations in an object that Go cannot decode into the
// types of their fields, sorted by path. Examples are a fraction in an integer field and a number
// that is too large for an int32. Undecodable does not report wrong types, such as a string in an
// integer field, or invalid quantities and base64. For objects of unknown kinds, it returns nil.
func (r *Release) Undecodable(object map[string]any) []UndecodableValue {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	n := r.table().kind(apiVersion, kind)
	if n == nil {
		return nil
	}
	w := undecodableWalk{}
	w.value(n, object, 0)
	slices.SortFunc(w.found, func(a, b UndecodableValue) int { return a.Path.Compare(b.Path) })
	return w.found
}

// undecodableWalk collects the values of an object that Go cannot decode.
type undecodableWalk struct {
	at    fieldpath.Path
	found []UndecodableValue
}

func (w *undecodableWalk) value(n *node, v any, depth int) {
	if depth > maxDepth || v == nil {
		return
	}
	switch n.shape {
	case pointer, orBool, orList, orTexts:
		w.value(n.below, v, depth+1)
		return
	}
	switch in := v.(type) {
	case map[string]any:
		for name, below := range in {
			typ := n.below
			if i, known := n.byName[name]; known {
				typ = n.fields[i].typ
			} else if n.shape != mapping {
				continue
			}
			w.below(typ, fieldpath.FieldNameElement(name), below, depth)
		}
	case []any:
		for i := range in {
			if n.shape == list {
				w.below(n.below, fieldpath.IndexElement(i), in[i], depth)
			}
		}
	default:
		if problem := n.problem(v); problem != "" {
			u := UndecodableValue{Path: slices.Clone(w.at), Value: v, Problem: problem}
			if wrapped, ok := n.wrapped(v); ok {
				u.Value, _ = wholeNumber(v) // an int64 is easier to read than a float64
				u.Wrapped = wrapped
			}
			w.found = append(w.found, u)
		}
	}
}

func (w *undecodableWalk) below(n *node, step fieldpath.PathElement, v any, depth int) {
	w.at = append(w.at, step)
	w.value(n, v, depth+1)
	w.at = w.at[:len(w.at)-1]
}

// problem says why Go cannot decode a scalar, or returns "".
func (n *node) problem(v any) string {
	var err error
	text, isText := v.(string)
	switch n.shape {
	case integer:
		return n.integerProblem(v)
	case intOrString:
		if _, ok := v.(bool); ok {
			return "must be an integer or a string"
		}
		return (&node{shape: integer, bits: 32}).integerProblem(v)
	case seconds:
		if _, err = time.Parse(time.RFC3339, text); isText && err != nil {
			return "must be a time such as 2026-01-31T12:00:00Z"
		}
	case micros:
		if _, err = time.Parse(microLayout, text); isText && err != nil {
			return "must be a time such as 2026-01-31T12:00:00.000000Z"
		}
	case duration:
		if _, err = time.ParseDuration(text); isText && err != nil {
			return "must be a duration such as 1m30s"
		}
	}
	return ""
}

func (n *node) integerProblem(v any) string {
	i, whole := wholeNumber(v)
	switch _, isFloat := v.(float64); {
	case whole && n.fits(i), !whole && !isFloat:
		return ""
	case !whole && v != math.Trunc(v.(float64)):
		return "must be an integer"
	}
	sign, bits := "", n.bits
	if bits < 0 {
		sign, bits = "u", -bits
	}
	return fmt.Sprintf("does not fit into the type %sint%d of the field", sign, bits)
}

// wholeNumber returns v as an int64. ok is false if v is not a number, has a fraction or does not
// fit into an int64.
func wholeNumber(v any) (i int64, ok bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case float64:
		return int64(v), v == math.Trunc(v) && v >= -1<<63 && v < 1<<63
	}
	return 0, false
}

// wrapped returns the value to which a server shortens v, an integer that does not fit into its type. A
// server does this only when it decodes the merged object of an apply. ok is false if v fits, or if the
// server cannot decode v.
func (n *node) wrapped(v any) (out int64, ok bool) {
	i, whole := wholeNumber(v)
	if n.shape != integer || !whole || n.fits(i) {
		return 0, false
	}
	switch n.bits {
	case 8:
		return int64(int8(i)), true
	case 16:
		return int64(int16(i)), true
	case 32:
		return int64(int32(i)), true
	case -8:
		return int64(uint8(i)), true
	case -16:
		return int64(uint16(i)), true
	case -32:
		return int64(uint32(i)), true
	}
	return 0, false
}
