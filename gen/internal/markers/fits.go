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

// Fits says whether JSON data fits a Go type, as package encoding/json would
// decode it, but for fields that the type lacks, which are refused. The error has
// the path in the value, what was found and what was wanted.
func (s *Source) Fits(v any, t types.Type) error {
	return s.fits(v, t, "", 0)
}

func (s *Source) fits(v any, t types.Type, path string, depth int) error {
	want := func(what string) error {
		where := ""
		if path != "" {
			where = path + ": "
		}
		return fmt.Errorf("%swant %s, got %s", where, what, JSON(v))
	}
	if depth > maxValueDepth {
		return want("less deep a value")
	}
	nilable := isPointer(t)
	t = Deref(t)
	shape := s.Shape(t)
	if v == nil {
		if nilable || shape == Any || shape == Map || shape == List && !isArray(t) || shape == Bytes {
			return nil
		}
		return want("a value that is not null")
	}
	switch shape {
	case String:
		if _, ok := v.(string); !ok {
			return want("a string in double quotes")
		}
	case Boolean:
		if _, ok := v.(bool); !ok {
			return want("true or false")
		}
	case Integer:
		return s.integerFits(v, t.Underlying().(*types.Basic), want)
	case Number:
		f, ok := float(v)
		if !ok {
			return want("a number")
		}
		if t.Underlying().(*types.Basic).Kind() == types.Float32 && math.Abs(f) > math.MaxFloat32 {
			return want("a number that fits float32")
		}
	case Bytes:
		text, ok := v.(string)
		if _, err := base64.StdEncoding.DecodeString(text); !ok || err != nil {
			return want("a string of base64")
		}
	case List:
		items, ok := v.([]any)
		if !ok {
			return want("a list")
		}
		elem := types.Type(nil)
		switch u := t.Underlying().(type) {
		case *types.Slice:
			elem = u.Elem()
		case *types.Array:
			if elem = u.Elem(); int64(len(items)) > u.Len() {
				return want(fmt.Sprintf("at most %d items", u.Len()))
			}
		}
		for i, item := range items {
			if err := s.fits(item, elem, fmt.Sprintf("%s[%d]", path, i), depth+1); err != nil {
				return err
			}
		}
	case Map:
		m, ok := v.(map[string]any)
		if !ok {
			return want("an object")
		}
		u := t.Underlying().(*types.Map)
		for _, k := range sortedKeys(m) {
			if b, ok := u.Key().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
				if _, err := strconv.ParseInt(k, 10, 64); err != nil {
					return want("keys that are integers")
				}
			}
			if err := s.fits(m[k], u.Elem(), path+"."+k, depth+1); err != nil {
				return err
			}
		}
	case Struct:
		m, ok := v.(map[string]any)
		if !ok {
			return want("an object")
		}
		fields := s.Flat(t.Underlying().(*types.Struct), NameOf(t))
		for _, k := range sortedKeys(m) {
			i := slices.IndexFunc(fields, func(f *Field) bool { return f.Name == k })
			if i < 0 {
				return fmt.Errorf("%s.%s: the type %s has no such field%s", path, k, types.TypeString(t, shortPackage), guess(k, fields))
			}
			if err := s.fitsField(m[k], fields[i], path+"."+k, depth+1); err != nil {
				return err
			}
		}
	case Custom:
		if problem := s.customFits(v, t); problem != "" {
			return want(problem)
		}
	case Unfit:
		return want("no default: the type " + types.TypeString(t, shortPackage) + " has no form in JSON")
	}
	return nil
}

// FitsField is Fits for the value of a field, which may be in quotes.
func (s *Source) FitsField(v any, f *Field) error { return s.fitsField(v, f, "", 0) }

func (s *Source) fitsField(v any, f *Field, path string, depth int) error {
	if !f.Quoted || v == nil {
		return s.fits(v, f.Type, path, depth)
	}
	where := ""
	if path != "" {
		where = path + ": "
	}
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("%swant a string, since the field has the option string, got %s", where, JSON(v))
	}
	inner, err := ParseJSON(text)
	if err != nil {
		return fmt.Errorf("%swant JSON inside the quotes, since the field has the option string, got %s", where, JSON(v))
	}
	return s.fits(inner, f.Type, path, depth)
}

func (s *Source) integerFits(v any, b *types.Basic, want func(string) error) error {
	least, most := integerBounds(b)
	switch n := v.(type) {
	case int64:
		if n < least || n > 0 && uint64(n) > most {
			return want(fmt.Sprintf("an integer from %d to %d", least, most))
		}
	case json.Number:
		u, err := strconv.ParseUint(n.String(), 10, 64)
		if err != nil || u > most {
			return want(fmt.Sprintf("an integer from %d to %d", least, most))
		}
	case float64:
		if n == math.Trunc(n) {
			return want("an integer without point and exponent")
		}
		return want("an integer")
	default:
		return want("an integer")
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

// customFits returns what is wanted of a value of a type that converts itself,
// as far as that is known, or nothing.
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
			return "a time as 2006-01-02T15:04:05Z"
		}
	case name == meta+"Duration":
		if _, err := time.ParseDuration(text); err != nil || !isText {
			return "a duration as 1m30s"
		}
	case k.Pattern != "":
		if f, ok := v.(float64); ok {
			text, isText = strconv.FormatFloat(f, 'f', -1, 64), true
		}
		if !isInt && (!isText || !quantityPattern.MatchString(text)) {
			return "a quantity as 100m, in quotes"
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

// guess says which field may have been meant.
func guess(name string, fields []*Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	if near := nearest(name, names); len(near) > 0 {
		return fmt.Sprintf(": is %s meant?", near[0])
	}
	return ""
}

// Zero returns the JSON of the zero value of a scalar type.
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
