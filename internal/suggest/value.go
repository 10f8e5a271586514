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

// RepairKind is a kind of change that gives an invalid value the expected type.
type RepairKind int

// These are the kinds of repairs, each with an example.
const (
	// AddQuotes: the schema requires a string, and the value is 3.
	AddQuotes RepairKind = iota
	// DropQuotes: the schema requires a number, and the value is "3".
	DropQuotes
	// YAMLBoolean: the schema requires a string, and the value is true. The source may have y,
	// which YAML 1.1 reads as true.
	YAMLBoolean
	// MakeList: the schema requires a list of strings, and the value is a single string.
	MakeList
	// DropList: the schema requires a string, and the value is [a].
	DropList
)

// Repair suggests how to change a value of the wrong type.
type Repair struct {
	Kind RepairKind
	// Text is the repaired value as YAML. It is empty for YAMLBoolean.
	Text string
}

// maxText is the maximum length of a repaired value, in bytes.
const maxText = 100

// Value suggests repairs for found, a value of the wrong type. The argument want is the expected
// kind: "map", "list", "string", "number", "boolean" or "scalar". atom is the schema type. It may
// be empty if the type is unknown.
func Value(want string, found any, atom schema.Atom, s *schema.Schema) []Repair {
	list, isList := found.([]any)
	switch {
	case isList && want != "list":
		if len(list) == 1 && fits(want, list[0]) {
			return repairsTo(DropList, list[0])
		}
		return nil
	case want == "list":
		if atom.List != nil && s != nil && fitsType(s, atom.List.ElementType, found) {
			return repairsTo(MakeList, []any{found})
		}
		return nil
	}
	switch v := found.(type) {
	case string:
		if bare, ok := unquoted(v); ok && fits(want, bare) && want != "string" {
			return repairsTo(DropQuotes, bare)
		}
	case bool:
		if want == "string" {
			return []Repair{{YAMLBoolean, ""}, {AddQuotes, strconv.Quote(strconv.FormatBool(v))}}
		}
	case int64, float64:
		if want == "string" {
			return []Repair{{AddQuotes, strconv.Quote(flow.Scalar(v))}}
		}
	}
	return nil
}

func repairsTo(m RepairKind, v any) []Repair {
	text := flow.Of(v, maxText)
	if len(text) > maxText {
		return nil
	}
	return []Repair{{m, text}}
}

// sexagesimal matches texts such as 22:30. YAML 1.1 reads 22:30 as the number 1350, but
// Kubernetes reads it as a string.
var sexagesimal = regexp.MustCompile(`^[0-9]+(:[0-5]?[0-9])+$`)

// unquoted returns the value that Kubernetes reads from text in YAML without quotes. For a text
// such as 22:30, it returns the number that YAML 1.1 reads.
func unquoted(text string) (any, bool) {
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

// fits reports whether v has the kind want. It returns false for lists.
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

// fitsType reports whether v may be meant as a value of type ref: it is a map with at least one
// field that the type declares, or a scalar of the right kind.
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
