// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/dovetail-ssa/dovetail/internal/kind"
)

// CheckDefaults returns Errors if a default does not fit its type. Examples are a number for a
// string, a list for a map, and a map with a field that the type does not declare. CheckDefaults
// also checks the values inside a default. It returns nil if all defaults fit.
//
// Without declarative defaults, only the defaults of list keys affect a merge, so CheckDefaults checks
// only these. Check also checks the other defaults. Both methods accept null everywhere, and skip types
// that are missing. They do not find duplicate items and missing keys in a default. Such mistakes cause
// errors when the default is used.
func (s *Schema) CheckDefaults() error {
	if errs := s.defaultErrors(s.DeclarativeDefaults); len(errs) > 0 {
		return errs
	}
	return nil
}

// defaultErrors returns an error for each default that does not fit its type. If all is false, it
// checks only the defaults of list keys.
func (s *Schema) defaultErrors(all bool) (errs Errors) {
	for _, td := range s.types() {
		check := func(path string, def any, tr TypeRef) {
			if problem := s.defaultProblem(def, tr, ""); problem != "" {
				errs = append(errs, Error{Type: td.Name, Path: cmp.Or(path, "."), Default: true, Problem: problem, subject: "default"})
			}
		}
		p := places{seen: map[any]bool{}}
		if all {
			check("", td.Default, TypeRef{Inlined: td.Atom})
			p.place = check
		} else {
			p.list = func(path string, l *List) { s.eachKeyField(path, l, check) }
		}
		p.atom("", td.Atom)
	}
	return errs
}

// eachKeyField calls check for each key of l that is a declared field of the items. It does
// nothing if l is not associative.
func (s *Schema) eachKeyField(path string, l *List, check func(path string, def any, tr TypeRef)) {
	if !l.ElementRelationship.IsAssociative() {
		return
	}
	item, _ := s.Resolve(l.ElementType)
	if item.Map == nil {
		return
	}
	for _, key := range l.Keys {
		if f, ok := item.Map.FindField(key); ok {
			check(path+"[]."+key, f.Default, f.Type)
		}
	}
}

// defaultProblem returns the reason why v does not fit the type tr. It returns "" if v fits.
// path is the path from the default to v.
func (s *Schema) defaultProblem(v any, tr TypeRef, path string) string {
	if v == nil {
		return ""
	}
	a, ok := s.Resolve(tr)
	if !ok || a.isEmpty() {
		return ""
	}
	if !a.allows(v) {
		return mismatch(a, v, path)
	}
	rv := reflect.ValueOf(v)
	switch kind.Of(v) {
	case kind.List:
		for i := range rv.Len() {
			if problem := s.defaultProblem(rv.Index(i).Interface(), a.List.ElementType, fmt.Sprintf("%s[%d]", path, i)); problem != "" {
				return problem
			}
		}
	case kind.Map:
		fields := map[string]any{}
		for _, k := range rv.MapKeys() {
			fields[fmt.Sprint(k.Interface())] = rv.MapIndex(k).Interface()
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			at := path + "." + name
			tr, ok := fieldType(a.Map, name)
			if !ok {
				return fmt.Sprintf("has the field %s, which the type does not declare: remove it from the default, or declare it", at)
			}
			if problem := s.defaultProblem(fields[name], tr, at); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// fieldType returns the type of a field of m. The boolean is false if m does not allow the
// field.
func fieldType(m *Map, name string) (TypeRef, bool) {
	if f, ok := m.FindField(name); ok {
		return f.Type, true
	}
	return m.ElementType, !m.ElementType.Equals(&TypeRef{})
}

// allows reports whether a type allows the kind of v. It does not check the items of lists or
// the fields of maps.
func (a Atom) allows(v any) bool { return kind.Allowed(v, a.Scalar, a.List != nil, a.Map != nil) }

// isEmpty reports whether a type allows no value at all.
func (a Atom) isEmpty() bool { return a.Scalar == nil && a.List == nil && a.Map == nil }

// mismatch returns an error message for a value whose kind the type a does not allow. The
// message also says how to fix the value.
func mismatch(a Atom, v any, path string) string {
	at := ""
	if path != "" {
		at = " at " + path
	}
	return fmt.Sprintf("is %s%s; expected %s: %s", describe(v), at, expectedKind(a), fixFor(a, v))
}

// describe returns the kind of a value, for messages. For a scalar, it adds the value.
func describe(v any) string {
	switch k := kind.Of(v); k {
	case kind.List, kind.Map:
		return "a " + string(k)
	case kind.String:
		return fmt.Sprintf("the string %q", fmt.Sprint(v))
	default:
		return fmt.Sprintf("the %s %v", k, v)
	}
}

// expectedKind names the kinds of values that a type allows.
func expectedKind(a Atom) string {
	switch {
	case a.Scalar != nil && *a.Scalar == Numeric:
		return "a number"
	case a.Scalar != nil && *a.Scalar == Untyped:
		return "a scalar"
	case a.Scalar != nil:
		return "a " + string(*a.Scalar)
	case a.List != nil && a.Map != nil:
		return "a list or a map"
	case a.List != nil:
		return "a list"
	}
	return "a map"
}

// fixFor returns a fix for a type that does not allow v.
func fixFor(a Atom, v any) string {
	if a.Scalar != nil {
		text := fmt.Sprint(v)
		_, err := strconv.ParseFloat(text, 64)
		switch k := kind.Of(v); {
		case *a.Scalar == String && (k == kind.Number || k == kind.Boolean):
			return fmt.Sprintf("write %q, in quotes, or change the type", text)
		case k == kind.String && (*a.Scalar == Numeric && err == nil || *a.Scalar == Boolean && (text == "true" || text == "false")):
			return fmt.Sprintf("write %s, without quotes, or change the type", text)
		}
	}
	return "change the default or the type"
}
