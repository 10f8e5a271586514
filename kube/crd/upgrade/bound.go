// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// formats lists the string formats that API servers check. The names are written
// without dashes. API servers ignore all other formats.
var formats = []string{"bsonobjectid", "byte", "cidr", "creditcard", "date", "datetime", "duration", "email", "hexcolor",
	"hostname", "ipv4", "ipv6", "isbn", "isbn10", "isbn13", "k8slongname", "k8sshortname", "mac", "rgbcolor", "ssn", "uri",
	"uuid", "uuid3", "uuid4", "uuid5"}

// format returns the format of a string schema, or "" if API servers do not check it.
// Number formats are handled as bounds; see formatBound.
func format(n *tree.Node) string {
	f, _ := n.Raw["format"].(string)
	if (n.Kind == "string" || n.Kind == "") && slices.Contains(formats, strings.ReplaceAll(f, "-", "")) {
		return f
	}
	return ""
}

// bound is the limit that a keyword such as minimum sets. exclusive means that the limit
// itself is not allowed. For the keyword multipleOf, value is the divisor.
type bound struct {
	value     float64
	exclusive bool
	set       bool
}

// declaredBound returns the bound that a schema declares with the keyword k.
func declaredBound(n *tree.Node, k string) bound {
	v, ok := number(n.Raw[k])
	exclusive := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[k]
	return bound{v, ok && exclusive != "" && n.Raw[exclusive] == true, ok}
}

// formatBound returns the bound that a number format implies for the keyword k, such as
// minimum.
func formatBound(n *tree.Node, k string) bound {
	var lowest, highest float64
	switch {
	case n.Kind == "integer" && n.Raw["format"] == "int32":
		lowest, highest = math.MinInt32, math.MaxInt32
	case n.Kind == "number" && n.Raw["format"] == "float":
		lowest, highest = -math.MaxFloat32, math.MaxFloat32
	default:
		return bound{}
	}
	if k == "minimum" {
		return bound{lowest, false, true}
	}
	return bound{highest, false, true}
}

// effectiveBound returns the bound for the keyword k that all values of n meet. The bound can come
// from another keyword. For example, a pattern that does not match "" implies minLength: 1.
func effectiveBound(n *tree.Node, k string) bound {
	b, l := declaredBound(n, k), formatBound(n, k)
	switch {
	case k == "minimum" || k == "maximum":
		if l.set && !l.includes(k, b) {
			return l
		}
	case k[:3] == "min" && !b.set:
		b = bound{set: true}
	}
	if k == "minLength" && b.value == 0 && n.Pattern != "" {
		if re, err := regexp.Compile(n.Pattern); err == nil && !re.MatchString("") {
			b.value = 1
		}
	}
	return b
}

// includes reports whether b is at least as wide as other, so that b accepts every value that other
// accepts. Both bounds belong to the keyword k.
func (b bound) includes(k string, other bound) bool {
	switch {
	case !b.set:
		return true
	case !other.set:
		return false
	case k == "multipleOf":
		return isMultiple(other.value, b.value)
	case other.value == b.value:
		return other.exclusive || !b.exclusive
	}
	return (other.value > b.value) == (k[:3] == "min")
}

// allows reports whether a value is within the bound. A string is measured by its length.
func (b bound) allows(k string, v any) bool {
	size, ok := number(v)
	if s, text := v.(string); text {
		size, ok = float64(utf8.RuneCountInString(s)), true
	}
	return ok && b.includes(k, bound{size, false, true})
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
