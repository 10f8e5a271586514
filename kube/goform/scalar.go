// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"encoding/base64"
	"math"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/internal/amount"
)

// microLayout is the layout of a metav1.MicroTime.
const microLayout = "2006-01-02T15:04:05.000000Z07:00"

// scalar returns a scalar in its encoded form. empty reports whether a field with omitempty would
// omit the result. For quantities and times, empty is always false, because they are Go structs.
func (n *node) scalar(v any) (out any, empty, changed bool) {
	switch n.shape {
	case words:
		if v == nil {
			return "", true, true
		}
		return v, v == "", false
	case boolean:
		if v == nil {
			return false, true, true
		}
		return v, v == false, false
	case integer:
		out, changed = n.integer(v)
		return out, isZero(out), changed
	case float:
		if v == nil {
			return int64(0), true, true
		}
		return v, isZero(v), false
	case binary:
		out, changed = bytes(v)
		return out, out == nil || out == "", changed
	case quantities:
		if text, ok := v.(string); ok && canonical(text) {
			return v, false, false
		}
		if text, ok := amount.Canonical(v); ok {
			return text, false, v != text
		}
	case seconds:
		out, changed = utc(v, time.RFC3339)
		return out, false, changed
	case micros:
		out, changed = utc(v, microLayout)
		return out, false, changed
	case duration:
		if v == nil {
			return "0s", false, true
		}
		if text, ok := v.(string); ok {
			if d, err := time.ParseDuration(text); err == nil {
				return d.String(), false, d.String() != text
			}
		}
	case intOrString:
		if _, ok := v.(string); !ok {
			out, changed = (&node{bits: 32}).integer(v)
			return out, false, changed
		}
	}
	return v, false, false
}

// integer returns 0 if v is absent, and an int64 if v is a whole floating-point number that fits
// into the type n. It returns other values unchanged.
func (n *node) integer(v any) (out any, changed bool) {
	switch x := v.(type) {
	case nil:
		return int64(0), true
	case float64: // Go writes a whole number without a fraction
		if i := int64(x); float64(i) == x && math.Abs(x) < 1<<53 && n.fits(i) {
			return i, true
		}
	}
	return v, false
}

func (n *node) fits(i int64) bool {
	if n.bits < 0 {
		return i >= 0 && (n.bits == -64 || i < 1<<-n.bits)
	}
	return n.bits == 64 || i >= -1<<(n.bits-1) && i < 1<<(n.bits-1)
}

func isZero(v any) bool {
	switch v := v.(type) {
	case int64:
		return v == 0
	case int:
		return v == 0
	case float64:
		return v == 0
	}
	return false
}

// bytes decodes base64 text and encodes it again, so that the text is as Go writes it. It returns
// other values unchanged.
func bytes(v any) (out any, changed bool) {
	text, ok := v.(string)
	if !ok {
		return v, false
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return v, false
	}
	again := base64.StdEncoding.EncodeToString(data)
	return again, again != text
}

// utc returns a time converted to UTC, or nil for the zero time. It returns values that do not
// match the layout unchanged.
func utc(v any, layout string) (out any, changed bool) {
	text, ok := v.(string)
	if !ok {
		return v, false
	}
	t, err := time.Parse(layout, text)
	switch {
	case err != nil:
		return v, false
	case t.IsZero():
		return nil, true
	}
	again := t.UTC().Format(layout)
	return again, again != text
}

// canonical reports whether text is a quantity in canonical form. To be fast, it recognizes only
// one to three digits with an optional unit. For any other text, it returns false.
func canonical(text string) bool {
	n := 0
	for n < len(text) && n < 4 && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	if n == 0 || n > 3 || text[0] == '0' {
		return text == "0"
	}
	switch text[n:] {
	case "", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti":
		return true
	}
	return false
}
