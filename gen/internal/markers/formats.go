// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"math"
	"strings"
)

// numberFormat is a number format of a CRD, such as int32.
type numberFormat struct {
	name, text string
	fits       func(float64) bool
	fix        string
	// servers names the API servers that enforce the format.
	servers string
}

const newServers = "API servers since 1.36"

var (
	int32Format = numberFormat{"int32", "-2147483648 to 2147483647", func(v float64) bool {
		return v >= math.MinInt32 && v <= math.MaxInt32
	}, "use int64, or add +kubebuilder:validation:Format=int64", newServers}
	// int64Format excludes the smallest and the largest int64 values. API servers read bounds as
	// floating point numbers, and rounding makes these values invalid.
	int64Format = numberFormat{"int64", "-9223372036854775807 to 9223372036854774784", func(v float64) bool {
		return math.Abs(v) < 1<<63
	}, "remove it, or use a number in this range", "API servers"}
	floatFormat = numberFormat{"float", "-3.4028235e+38 to 3.4028235e+38", func(v float64) bool {
		return !math.IsInf(float64(float32(v)), 0)
	}, "use a number in this range", newServers}
)

// formatOf returns the CRD format of a number, such as int32. The markers and the Go type
// determine the format. formatOf returns false if the number has no format with a limited
// range.
func (s *Source) formatOf(all []Marker, prefix string, t types.Type) (numberFormat, bool) {
	shape := s.Shape(t)
	if shape != Integer && shape != Number {
		return numberFormat{}, false
	}
	named := s.NamedMarkers(t)
	if Has(all, prefix+"Type") || Has(named, "kubebuilder:validation:Type") {
		return numberFormat{}, false
	}
	declared := ""
	m, ok := Find(all, prefix+"Format")
	if !ok {
		m, ok = Find(named, "kubebuilder:validation:Format")
	}
	if ok {
		v, _ := m.Decode()
		declared, _ = v.(string)
	}
	basic, ok := Deref(t).Underlying().(*types.Basic)
	switch {
	case !ok:
	case shape == Number && declared == "float":
		return floatFormat, true
	case shape == Number:
	case declared == "int32", declared == "" && (basic.Kind() == types.Int32 || basic.Kind() == types.Uint32):
		return int32Format, true
	default:
		return int64Format, true
	}
	return numberFormat{}, false
}

// checkBound reports a bound or an enum value that is out of range for the CRD format of the
// number, for example a maximum of 2^40 for an int32. API servers reject every value of a field
// whose bound is out of range, and every enum value that is out of range. For the formats int32 and
// float, this is true only for API servers since 1.36.
func (s *Source) checkBound(m *Marker, all []Marker, name string, t types.Type) {
	prefix := "kubebuilder:validation:"
	for _, items := range []string{ItemsPrefix, EachPrefix} {
		if strings.HasPrefix(m.Name, items) {
			elem, ok := Elem(t)
			if !ok {
				return
			}
			prefix, t = items, elem
		}
	}
	rest, ok := strings.CutPrefix(m.Name, prefix)
	if !ok {
		return
	}
	v, err := m.Decode()
	if err != nil {
		return
	}
	f, ok := s.formatOf(all, prefix, t)
	if !ok {
		return
	}
	switch rest {
	case "Minimum", "Maximum", "MultipleOf":
		if n, ok := float(v); ok && !f.fits(n) {
			s.findings.add(m.pos, NumberFormat, fmt.Sprintf("%s of %s is outside of format %s (%s)", m, name, f.name, f.text),
				"in a CRD, "+f.servers+" reject every value of the field", f.fix).warning()
		}
	case "Enum":
		values, _ := v.([]any)
		for _, value := range values {
			if n, ok := float(value); ok && !f.fits(n) && f.name != int64Format.name {
				s.findings.add(m.pos, NumberFormat, fmt.Sprintf("the value %s of %s of %s is outside of format %s (%s)", JSON(value), m, name, f.name, f.text),
					"in a CRD, "+f.servers+" reject it", f.fix).warning()
			}
		}
	}
}

// checkDefaultFormat reports a default, or a number inside it, that is out of range for the
// format that the number has in a CRD.
func (s *Source) checkDefaultFormat(d *Default, all []Marker, name string, t types.Type) {
	var check func(v any, prefix string, t types.Type)
	check = func(v any, prefix string, t types.Type) {
		var below []any
		switch v := v.(type) {
		case []any:
			below = v
		case map[string]any:
			for _, k := range sortedKeys(v) {
				below = append(below, v[k])
			}
		default:
			f, ok := s.formatOf(all, prefix, t)
			if n, isNumber := float(v); ok && isNumber && !f.fits(n) && f.name != int64Format.name {
				s.findings.add(d.Marker.pos, NumberFormat, fmt.Sprintf("the default %s of %s is outside of format %s (%s)", JSON(v), name, f.name, f.text),
					f.servers+" reject a CRD with it", f.fix).warning()
			}
			return
		}
		if elem, ok := Elem(t); ok {
			for _, v := range below {
				check(v, ItemsPrefix, elem)
			}
		}
	}
	check(d.Value, "kubebuilder:validation:", t)
}
