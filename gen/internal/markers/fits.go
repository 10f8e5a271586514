// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/types"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Fits returns an error if encoding/json cannot decode v into type t, or if v has a field that t
// does not have. The error shows the path and the value, and describes what is expected.
func (s *Source) Fits(v any, t types.Type) error {
	return s.fits(candidate{value: v}, t)
}

// FitsField is like Fits, but for the value of a field. If the json tag of the field has the
// option ",string", the value must be in quotes.
func (s *Source) FitsField(v any, f *Field) error {
	return s.fitsField(candidate{value: v}, f)
}

// candidate is a JSON value to check against a type. path is its path in the whole value.
type candidate struct {
	value any
	path  string
	depth int
}

// item returns the candidate for item i of a list.
func (c candidate) item(i int, v any) candidate {
	return candidate{v, fmt.Sprintf("%s[%d]", c.path, i), c.depth + 1}
}

// field returns the candidate for a field of an object.
func (c candidate) field(name string, v any) candidate {
	return candidate{v, c.path + "." + name, c.depth + 1}
}

// mismatch returns the error for a value that does not fit the type.
func (c candidate) mismatch(expected string) error {
	where := ""
	if c.path != "" {
		where = c.path + ": "
	}
	return fmt.Errorf("%sexpected %s, got %s", where, expected, JSON(c.value))
}

func (s *Source) fits(c candidate, t types.Type) error {
	if c.depth > maxValueDepth {
		return c.mismatch("a less deeply nested value")
	}
	if c.value == nil {
		return s.nullFits(c, t)
	}
	t = Deref(t)
	switch s.Shape(t) {
	case String:
		if _, ok := c.value.(string); !ok {
			return c.mismatch("a string in double quotes")
		}
	case Boolean:
		if _, ok := c.value.(bool); !ok {
			return c.mismatch("true or false")
		}
	case Integer:
		return integerFits(c, t.Underlying().(*types.Basic))
	case Number:
		return numberFits(c, t.Underlying().(*types.Basic))
	case Bytes:
		text, ok := c.value.(string)
		if _, err := base64.StdEncoding.DecodeString(text); !ok || err != nil {
			return c.mismatch("a base64 string")
		}
	case List:
		return s.listFits(c, t)
	case Map:
		return s.mapFits(c, t.Underlying().(*types.Map))
	case Struct:
		return s.structFits(c, t)
	case Custom:
		if expected := s.customFits(c.value, t); expected != "" {
			return c.mismatch(expected)
		}
	case Unfit:
		return c.mismatch("no default, because the type " + types.TypeString(t, shortPackage) + " cannot be represented in JSON")
	}
	return nil
}

func (s *Source) nullFits(c candidate, t types.Type) error {
	if isPointer(t) {
		return nil
	}
	t = Deref(t)
	switch s.Shape(t) {
	case Any, Map, Bytes:
		return nil
	case List:
		if !isArray(t) {
			return nil
		}
	}
	return c.mismatch("a non-null value")
}

func numberFits(c candidate, b *types.Basic) error {
	f, ok := float(c.value)
	if !ok {
		return c.mismatch("a number")
	}
	if b.Kind() == types.Float32 && math.Abs(f) > math.MaxFloat32 {
		return c.mismatch("a number that fits float32")
	}
	return nil
}

// listFits checks a value against a slice or array type.
func (s *Source) listFits(c candidate, t types.Type) error {
	items, ok := c.value.([]any)
	if !ok {
		return c.mismatch("a list")
	}
	var elem types.Type
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
		if int64(len(items)) > u.Len() {
			return c.mismatch(fmt.Sprintf("at most %d items", u.Len()))
		}
	}
	for i, item := range items {
		if err := s.fits(c.item(i, item), elem); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) mapFits(c candidate, t *types.Map) error {
	m, ok := c.value.(map[string]any)
	if !ok {
		return c.mismatch("an object")
	}
	key, ok := t.Key().Underlying().(*types.Basic)
	integers := ok && key.Info()&types.IsInteger != 0
	for _, k := range sortedKeys(m) {
		if integers {
			if _, err := strconv.ParseInt(k, 10, 64); err != nil {
				return c.mismatch("integer keys")
			}
		}
		if err := s.fits(c.field(k, m[k]), t.Elem()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) structFits(c candidate, t types.Type) error {
	m, ok := c.value.(map[string]any)
	if !ok {
		return c.mismatch("an object")
	}
	fields := s.Flat(t.Underlying().(*types.Struct), NameOf(t))
	for _, k := range sortedKeys(m) {
		i := slices.IndexFunc(fields, func(f *Field) bool { return f.Name == k })
		if i < 0 {
			return fmt.Errorf("%s.%s: the type %s has no such field%s", c.path, k, types.TypeString(t, shortPackage), guess(k, fields))
		}
		if err := s.fitsField(c.field(k, m[k]), fields[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) fitsField(c candidate, f *Field) error {
	if !f.Quoted || c.value == nil {
		return s.fits(c, f.Type)
	}
	text, ok := c.value.(string)
	if !ok {
		return c.mismatch("a string, because the json tag of the field has the option ,string")
	}
	inner, err := ParseJSON(text)
	if err != nil {
		return c.mismatch("JSON inside the quotes, because the json tag of the field has the option ,string")
	}
	c.value = inner
	return s.fits(c, f.Type)
}

func integerFits(c candidate, b *types.Basic) error {
	least, most := integerBounds(b)
	switch n := c.value.(type) {
	case int64:
		if n < least || n > 0 && uint64(n) > most {
			return c.mismatch(fmt.Sprintf("an integer from %d to %d", least, most))
		}
	case json.Number:
		u, err := strconv.ParseUint(n.String(), 10, 64)
		if err != nil || u > most {
			return c.mismatch(fmt.Sprintf("an integer from %d to %d", least, most))
		}
	case float64:
		if n == math.Trunc(n) {
			return c.mismatch("an integer without a decimal point or exponent")
		}
		return c.mismatch("an integer")
	default:
		return c.mismatch("an integer")
	}
	return nil
}

func float(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}

var quantityPattern = regexp.MustCompile(quantityRE)

// customFits checks a value against a type that has its own JSON methods. If the value does not
// fit, customFits describes what is expected. It returns "" if the value fits, or if the type is
// not known.
func (s *Source) customFits(v any, t types.Type) string {
	k, ok := s.Known(t)
	if !ok {
		return ""
	}
	text, isText := v.(string)
	_, isInt := v.(int64)
	switch name := PathName(NameOf(t)); {
	case name == meta+"Time", name == meta+"MicroTime", name == "time.Time":
		if _, err := time.Parse(time.RFC3339Nano, text); err != nil || !isText {
			return "a time such as 2006-01-02T15:04:05Z"
		}
	case name == meta+"Duration":
		if _, err := time.ParseDuration(text); err != nil || !isText {
			return "a duration such as 1m30s"
		}
	case k.Pattern != "":
		if f, ok := v.(float64); ok {
			text, isText = strconv.FormatFloat(f, 'f', -1, 64), true
		}
		if !isInt && (!isText || !quantityPattern.MatchString(text)) {
			return "a quantity such as 100m, in quotes"
		}
	case k.IntOrString:
		if n, _ := v.(int64); !isText && !isInt || n > math.MaxInt32 || n < math.MinInt32 {
			return "an integer or a string"
		}
	case k.Type == "string":
		if !isText {
			return "a string in double quotes"
		}
	case k.Type == "object":
		if _, ok := v.(map[string]any); !ok {
			return "an object"
		}
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func shortPackage(p *types.Package) string { return p.Name() }

// guess returns a hint with the name of the most similar field, or "" if none is similar.
func guess(name string, fields []*Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	if near := nearest(name, names); len(near) > 0 {
		return fmt.Sprintf("; did you mean %s?", near[0])
	}
	return ""
}

// Zero returns the zero value of a scalar type as decoded JSON. It returns false for all other
// types.
func (s *Source) Zero(t types.Type) (any, bool) {
	switch s.Shape(t) {
	case String:
		return "", true
	case Boolean:
		return false, true
	case Integer, Number:
		return int64(0), true
	}
	return nil, false
}
