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

// formats are those of texts that API servers check; others they ignore.
var formats = []string{"bsonobjectid", "byte", "cidr", "creditcard", "date", "datetime", "duration", "email", "hexcolor",
	"hostname", "ipv4", "ipv6", "isbn", "isbn10", "isbn13", "k8slongname", "k8sshortname", "mac", "rgbcolor", "ssn", "uri",
	"uuid", "uuid3", "uuid4", "uuid5"}

// format is the format of a text that is checked, empty for none. Those of numbers are bounds.
func format(n *tree.Node) string {
	f, _ := n.Raw["format"].(string)
	if (n.Kind == "string" || n.Kind == "") && slices.Contains(formats, strings.ReplaceAll(f, "-", "")) {
		return f
	}
	return ""
}

// bound is a bound of a keyword, minimum or another.
type bound struct {
	at        float64
	exclusive bool
	there     bool
}

// declared is the bound that a schema has in a keyword.
func declared(n *tree.Node, k string) bound {
	v, ok := number(n.Raw[k])
	exclusive := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[k]
	return bound{v, ok && exclusive != "" && n.Raw[exclusive] == true, ok}
}

// limit is the bound that the format of a number is.
func limit(n *tree.Node, k string) bound {
	var least, most float64
	switch {
	case n.Kind == "integer" && n.Raw["format"] == "int32":
		least, most = math.MinInt32, math.MaxInt32
	case n.Kind == "number" && n.Raw["format"] == "float":
		least, most = -math.MaxFloat32, math.MaxFloat32
	default:
		return bound{}
	}
	if k == "minimum" {
		return bound{least, false, true}
	}
	return bound{most, false, true}
}

// reach is the bound of all that a schema takes, whichever keyword has it.
func reach(n *tree.Node, k string) bound {
	b, l := declared(n, k), limit(n, k)
	switch {
	case k == "minimum" || k == "maximum":
		if l.there && !l.holds(k, b) {
			return l
		}
	case k[:3] == "min" && !b.there:
		b = bound{there: true}
	}
	if k == "minLength" && b.at == 0 && n.Pattern != "" {
		if re, err := regexp.Compile(n.Pattern); err == nil && !re.MatchString("") {
			b.at = 1
		}
	}
	return b
}

// holds says whether a bound takes all that is within another one of the same keyword.
func (b bound) holds(k string, other bound) bool {
	switch {
	case !b.there:
		return true
	case !other.there:
		return false
	case other.at == b.at:
		return other.exclusive || !b.exclusive
	}
	return (other.at > b.at) == (k[:3] == "min")
}

// takes says whether a value is within a bound.
func (b bound) takes(k string, v any) bool {
	size, ok := number(v)
	if s, text := v.(string); text {
		size, ok = float64(utf8.RuneCountInString(s)), true
	}
	return ok && b.holds(k, bound{size, false, true})
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
