// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// place looks at a default, if there is one.
func (l *linter) place(name string, def *any, ref schema.TypeRef, path string) {
	if *def == nil {
		return
	}
	if taken, referred := l.taken[name]; path == "" && referred && !taken {
		l.add(Unreachable, name, path,
			"every reference to the definition has a default of its own, so this one is never taken; remove it")
	}
	if ref.Nullable && isElement(path) {
		l.add(Unreachable, name, path,
			"only null would take the default, and null is a value here; remove the default, or nullable")
	}
	for _, problem := range l.problems(*def, ref) {
		l.add(DefaultValue, name, path, "%s", problem)
	}
}

// problems returns what is wrong with a default, once its own defaults are filled
// in.
func (l *linter) problems(def any, ref schema.TypeRef) []string {
	if l.budget <= 0 {
		return nil
	}
	atom := l.catalog.atomOf(ref, nil)
	if !allows(atom, def) {
		return []string{fmt.Sprintf("want a default that is %s, found %s", atomName(atom), shape(def))}
	}
	pt := typed.ParseableType{Schema: l.schema, TypeRef: ref}
	tv, err := pt.FromUnstructured(def)
	if err != nil {
		return misfits(err)
	}
	if tv, err = tv.Default(); err != nil {
		// What it cost before it failed is not known, but bounded.
		return append(misfits(err), l.spend(maxLinted/8)...)
	}
	filled := tv.AsValue().Unstructured()
	problems := l.spend(values(filled))
	if !isEmpty(def) { // what an empty one lacks is missed where it is filled in
		problems = l.lacking(problems, atom, filled, "", 0)
	}
	return problems
}

// spend takes from the budget, and says so when it is used up.
func (l *linter) spend(n int) []string {
	if l.budget -= n; l.budget > 0 {
		return nil
	}
	return []string{fmt.Sprintf("the defaults up to here add more than %d values or have no end; those that follow were not looked at", maxLinted)}
}

// maxProblems bounds what is said about one default.
const maxProblems = 10

// misfits says in words what a validation found.
func misfits(err error) []string {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return []string{"the default does not fit: " + shorten(err.Error())}
	}
	var problems []string
	for _, e := range all[:min(len(all), maxProblems)] {
		problem, at := e.ErrorMessage, ""
		if f := diag.Of(e); f != nil && f.Code == diag.WrongType && f.Want != "" {
			problem = "want " + wanted(f.Want) + ", found " + shape(f.Found)
		}
		if e.Path != "" {
			at = " at " + shorten(e.Path)
		}
		problems = append(problems, "the default does not fit"+at+": "+shorten(problem))
	}
	return problems
}

// wanted is the name of a kind of value with its article.
func wanted(kind string) string {
	if kind == string(schema.Numeric) {
		return "a number"
	}
	return "a " + kind
}

// lacking adds the required fields that a value lacks to problems.
func (l *linter) lacking(problems []string, a schema.Atom, v any, path string, depth int) []string {
	if depth > maxDepth {
		return problems
	}
	switch v := v.(type) {
	case map[string]any:
		if a.Map == nil {
			break
		}
		for _, name := range a.Map.Required {
			if _, ok := v[name]; !ok && len(problems) < maxProblems {
				problems = append(problems, "the default lacks "+shorten(path+"."+name)+", which is required")
			}
		}
		for _, name := range sortedKeys(v) {
			ref := a.Map.ElementType
			if f, ok := a.Map.FindField(name); ok {
				ref = f.Type
			}
			problems = l.lacking(problems, l.catalog.atomOf(ref, nil), v[name], path+"."+name, depth+1)
		}
	case []any:
		if a.List == nil {
			break
		}
		for i, item := range v {
			if len(problems) >= maxProblems {
				break
			}
			problems = l.lacking(problems, l.catalog.atomOf(a.List.ElementType, nil), item, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
	}
	return problems
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// values returns how many values v is.
func values(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, c := range v {
			n += values(c)
		}
	case []any:
		for _, c := range v {
			n += values(c)
		}
	}
	return n
}

// unreachable looks for fields that may be absent and that have defaults below.
func (l *linter) unreachable(name string, a schema.Atom, path string) {
	below := func(ref schema.TypeRef, path string) {
		if ref.NamedType == nil {
			l.unreachable(name, ref.Inlined, path)
		}
	}
	if a.List != nil {
		below(a.List.ElementType, path+"[]")
	}
	if a.Map == nil {
		return
	}
	below(a.Map.ElementType, path+"{}")
	for i := range a.Map.Fields {
		f := &a.Map.Fields[i]
		at := path + "." + f.Name
		below(f.Type, at)
		if l.catalog.defaultOf(f.Default, f.Type) != nil || slices.Contains(a.Map.Required, f.Name) {
			continue
		}
		if first := l.filledBelow(f.Type); first != "" {
			l.add(BelowOptional, name, at,
				"the field is optional and has no default, so what is below, such as the default of %s, is filled in only where somebody writes the field; give it the default {} if that is not meant", shorten(at+first))
		}
	}
}

// filledBelow returns the path of a default, other than a zero value, that an
// empty object of a type takes.
func (l *linter) filledBelow(ref schema.TypeRef) string {
	if ref.NamedType == nil {
		return l.filledIn(ref)
	}
	path, known := l.filled[*ref.NamedType]
	if !known {
		l.filled[*ref.NamedType] = "" // so that a type within itself comes to an end
		path = l.filledIn(ref)
		l.filled[*ref.NamedType] = path
	}
	return path
}

func (l *linter) filledIn(ref schema.TypeRef) string {
	a := l.catalog.atomOf(ref, nil)
	if a.Map == nil {
		return ""
	}
	for i := range a.Map.Fields {
		f := &a.Map.Fields[i]
		def := l.catalog.defaultOf(f.Default, f.Type)
		switch {
		case def == nil:
		case isEmpty(def):
			if deeper := l.filledBelow(f.Type); deeper != "" {
				return "." + f.Name + deeper
			}
		case !isZero(def):
			return "." + f.Name
		}
	}
	return ""
}
