// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"math"
	"strconv"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// numberFormat is a range to which API servers restrict the numbers of a schema.
type numberFormat struct {
	name, text string
	fits       func(float64) bool
	// fix is the advice for a bound that is outside the range.
	fix string
}

var (
	int32Format = numberFormat{"format int32", "integers from -2147483648 to 2147483647", func(v float64) bool {
		return v == math.Trunc(v) && v >= math.MinInt32 && v <= math.MaxInt32
	}, "use format int64, or a number in this range"}
	// int64Format excludes the smallest and the largest int64, because API servers read bounds as
	// floating point numbers. For example, they round the largest int64 up to a number outside the
	// range.
	int64Format = numberFormat{"a 64-bit integer", "integers between -9223372036854775808 and 9223372036854775807, excluding both", func(v float64) bool {
		return v == math.Trunc(v) && math.Abs(v) < 1<<63
	}, "remove it, or use a number in this range"}
	floatFormat = numberFormat{"format float", "numbers from -3.4028235e+38 to 3.4028235e+38", func(v float64) bool {
		return !math.IsInf(float64(float32(v)), 0)
	}, "use format double, or a number in this range"}
)

// formatsSince is the first Kubernetes release whose API servers check number formats.
const formatsSince = "1.36"

// numberFormatOf returns the range of numbers that API servers allow for a schema. since is the first
// release that enforces the range, or "" if all releases enforce it. ok is false if every number is
// allowed.
func numberFormatOf(n *tree.Node) (f numberFormat, since string, ok bool) {
	format, _ := n.Raw["format"].(string)
	switch {
	case n.Kind == "integer" && format == "int32":
		return int32Format, formatsSince, true
	case n.Kind == "integer":
		return int64Format, "", true
	case n.Kind == "number" && format == "float":
		return floatFormat, formatsSince, true
	}
	return f, "", false
}

// numbers reports bounds and enum values outside the range of n's number format. It also checks the
// schemas in n's allOf, anyOf, oneOf and not.
func (l linter) numbers(n *tree.Node) {
	n.Nested(l.numbers)
	f, since, ok := numberFormatOf(n)
	if !ok {
		return
	}
	for _, k := range []string{"minimum", "maximum", "multipleOf"} {
		v, ok := number(n.Raw[k])
		if !ok || f.fits(v) {
			continue
		}
		servers, since := "API servers since "+since, since
		if since == "" || f.name == int32Format.name && !int64Format.fits(v) {
			servers, since = "API servers", ""
		}
		fix := f.fix
		switch {
		case v != math.Trunc(v):
			fix = "use an integer, or type number"
		case f.name == int32Format.name && since == "":
			fix = int64Format.fix // the bound does not fit into int64 either
		}
		l.addSince(since, BoundFormat, n.At.At(k), "is %s, but %s allows only %s: %s reject every value of the field; %s", decimal(n.Raw[k]), f.name, f.text, servers, fix)
	}
	values, _ := n.Raw["enum"].([]any)
	for i, value := range values {
		if v, ok := number(value); ok && !f.fits(v) {
			if n.Kind == "integer" && v != math.Trunc(v) {
				continue // enumTypes reports this value
			}
			if _, exact := value.(int64); exact && f.name == int64Format.name {
				continue // API servers round bounds, but not enum values
			}
			l.addSince(since, EnumFormat, n.At.At("enum").Nth(i), "is %s, but %s allows only %s, so no object can have this value; %s", decimal(value), f.name, f.text, f.fix)
		}
	}
}

// emptyRanges reports lower bounds of n that are above the upper bound, so that no value is valid.
func (l linter) emptyRanges(n *tree.Node) {
	for _, bounds := range [][2]string{{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}} {
		low, hasLow := number(n.Raw[bounds[0]])
		high, hasHigh := number(n.Raw[bounds[1]])
		if !hasLow || !hasHigh || low < high {
			continue
		}
		excluded := bounds[0] == "minimum" && (n.Raw["exclusiveMinimum"] == true || n.Raw["exclusiveMaximum"] == true)
		if low == high && !excluded {
			continue
		}
		why := ""
		if low == high {
			why = ", and one of them is exclusive"
		}
		l.add(EmptyRange, n.At.At(bounds[0]), "is %s, but %s is %s%s: the API server rejects every value of the field; correct one of the bounds", decimal(n.Raw[bounds[0]]), bounds[1], decimal(n.Raw[bounds[1]]), why)
	}
}

// decimal returns a number as text. The text has an exponent only if the number is very large.
func decimal(v any) string {
	if f, ok := v.(float64); ok && math.Abs(f) < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return tree.Flow(v)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
