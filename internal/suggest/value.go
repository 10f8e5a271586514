// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Mend is a way to make a value one of the type that is wanted.
type Mend int

// The ways, each with the smallest value that it mends.
const (
	// AddQuotes: 3 where a string is wanted.
	AddQuotes Mend = iota
	// DropQuotes: "3" where a number is wanted.
	DropQuotes
	// YAMLBoolean: true where a string is wanted, and y may have been written.
	YAMLBoolean
	// MakeList: a where a list of strings is wanted.
	MakeList
	// DropList: [a] where a string is wanted.
	DropList
)

// Mended is a way to mend a value, and what to write, as YAML.
type Mended struct {
	Mend Mend
	Text string
}

// maxText bounds how long a value is that is shown mended.
const maxText = 100

// Value returns the ways to mend a value that is found where a map, list, string,
// number, boolean or scalar is wanted; atom is the type there, as far as it is known.
func Value(want string, found any, atom schema.Atom, s *schema.Schema) []Mended {
	list, isList := found.([]any)
	switch {
	case isList && want != "list":
		if len(list) == 1 && fits(want, list[0]) {
			return shown(DropList, list[0])
		}
		return nil
	case want == "list":
		if atom.List != nil && s != nil && fitsType(s, atom.List.ElementType, found) {
			return shown(MakeList, []any{found})
		}
		return nil
	}
	switch v := found.(type) {
	case string:
		if bare, ok := bare(v); ok && fits(want, bare) && want != "string" {
			return shown(DropQuotes, bare)
		}
	case bool:
		if want == "string" {
			return []Mended{{YAMLBoolean, ""}, {AddQuotes, strconv.Quote(strconv.FormatBool(v))}}
		}
	case int64, float64:
		if want == "string" {
			return []Mended{{AddQuotes, strconv.Quote(flow.Scalar(v))}}
		}
	}
	return nil
}

func shown(m Mend, v any) []Mended {
	text := flow.Of(v, maxText)
	if len(text) > maxText {
		return nil
	}
	return []Mended{{m, text}}
}

// sexagesimal numbers are numbers in YAML 1.1, but not to Kubernetes.
var sexagesimal = regexp.MustCompile(`^[0-9]+(:[0-5]?[0-9])+$`)

// bare returns what a text would be without quotes; a sexagesimal number counts as what
// it was meant to be.
func bare(text string) (any, bool) {
	if !sexagesimal.MatchString(text) || len(text) > 20 {
		return flow.Unquoted(text)
	}
	n := int64(0)
	for _, part := range strings.Split(text, ":") {
		digits, err := strconv.ParseInt(part, 10, 32)
		if err != nil {
			return nil, false
		}
		n = n*60 + digits
	}
	return n, true
}

// fits says whether v is of the kind that is wanted.
func fits(want string, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return want == "map"
	case string:
		return want == "string" || want == "scalar"
	case bool:
		return want == "boolean" || want == "scalar"
	case float64:
		return (want == "number" || want == "scalar") && !math.IsNaN(v) && !math.IsInf(v, 0)
	case int64:
		return want == "number" || want == "scalar"
	}
	return false
}

// fitsType says whether v may be meant as a value of a type: a map with a field that the
// type has, or a scalar of its kind.
func fitsType(s *schema.Schema, ref schema.TypeRef, v any) bool {
	atom, ok := s.Resolve(ref)
	if !ok {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		if atom.Map == nil {
			return false
		}
		for name := range v {
			if _, ok := atom.Map.FindField(name); ok {
				return true
			}
		}
	case nil, []any:
	default:
		if atom.Scalar != nil {
			kind := string(*atom.Scalar)
			if *atom.Scalar == schema.Numeric {
				kind = "number"
			}
			return kind == string(schema.Untyped) || fits(kind, v)
		}
	}
	return false
}
