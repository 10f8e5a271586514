// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Lint looks for what is odd about the types of the catalog, sorted by document,
// type, path and rule. What is odd about the documents themselves is among the
// Warnings. It decodes all types. It is safe for concurrent use once nothing is
// added any more.
func (c *Catalog) Lint() []Finding {
	l := linter{catalog: c, filled: map[string]string{}, budget: maxLinted}
	l.keys()
	all := map[string]schema.TypeDef{}
	for _, name := range c.Types() {
		if td, ok := c.resolve(name); ok {
			all[name] = td
		}
	}
	for name := range untyped {
		all[name] = untyped[name]
	}
	l.schema = &schema.Schema{Types: placeDefaults(all), DeclarativeDefaults: true}
	l.taken = l.references()
	for _, name := range c.Types() {
		if d, ok := c.find(name); ok {
			l.definition(name, d)
		}
	}
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Document, b.Document),
			strings.Compare(a.Type, b.Type),
			strings.Compare(a.Path, b.Path),
			strings.Compare(string(a.Rule), string(b.Rule)),
		)
	})
	return l.found
}

// linter looks for findings.
type linter struct {
	catalog *Catalog
	// schema has all types.
	schema *schema.Schema
	// taken says of definitions that are referred to whether their own default
	// is taken somewhere.
	taken map[string]bool
	// filled says of named types what filledBelow returns.
	filled map[string]string
	// budget is how many values defaults may still add.
	budget int
	found  []Finding
}

// maxLinted bounds what all defaults together may add when they are filled in.
const maxLinted = 1 << 20

func (l *linter) add(rule Rule, name, path, format string, args ...any) {
	document := ""
	if d, ok := l.catalog.find(name); ok {
		document = d.document
	}
	l.found = append(l.found, Finding{Rule: rule, Document: document, Type: name, Path: shorten(path), Message: fmt.Sprintf(format, args...)})
}

func (l *linter) keys() {
	report := l.catalog.unsatisfiedKeys()
	for _, k := range report.undefaulted {
		l.add(KeyUnsatisfied, k.Type, k.Path,
			"the key %q of the items is neither required nor has a default, so an item without it is another item; give it a default, or require it", shorten(k.Key))
	}
	for _, k := range report.zeroDefaults {
		l.add(ZeroKey, k.Type, k.Path,
			"the key %q of the items is required and has the default %s, so a missing one goes unnoticed; take the default away", shorten(k.Key), shorten(flow.Of(k.Default, 100)))
	}
}

// references returns the definitions that are referred to, and of each whether
// there is a reference that takes its default.
func (l *linter) references() map[string]bool {
	taken := map[string]bool{}
	for _, name := range l.catalog.Types() {
		d, ok := l.catalog.find(name)
		if !ok {
			continue
		}
		if d.alias != "" {
			taken[d.alias] = taken[d.alias] || d.typ.Default == nil
		}
		eachPlace(&d.typ, func(def *any, ref schema.TypeRef, path string) {
			if ref.NamedType != nil {
				takes := *def == nil && !(ref.Nullable && isElement(path))
				taken[*ref.NamedType] = taken[*ref.NamedType] || takes
			}
		})
	}
	return taken
}

// isElement reports whether a path leads to the items of a list or the values of
// a map, which take a default only when they are null.
func isElement(path string) bool {
	return strings.HasSuffix(path, "[]") || strings.HasSuffix(path, "{}")
}

// isListKind reports whether a type is that of a List, which nobody applies.
func isListKind(td schema.TypeDef) bool {
	if td.Map == nil {
		return false
	}
	f, _ := td.Map.FindField("metadata")
	return f.Type.NamedType != nil && *f.Type.NamedType == listMeta
}

func (l *linter) definition(name string, d *definition) {
	eachList(d.typ.Atom, "", func(list *schema.List, path string) {
		a := l.catalog.atomOf(list.ElementType, nil)
		switch {
		case a.Scalar != nil || a.Map == nil && a.List == nil:
		case list.ElementRelationship.IsAssociative() && len(list.Keys) == 0:
			l.add(SetOfObjects, name, path,
				"a set must have scalars as items, and every apply of one that is %s fails; say map and name the keys, or atomic", atomName(a))
		case a.Map != nil && slices.Contains(d.bare, path) && !(path == ".items" && isListKind(d.typ)):
			l.add(NoListType, name, path,
				"a list of objects without x-kubernetes-list-type is atomic, so whoever applies it owns all of it; say map and name the keys, or atomic if that is meant")
		}
	})
	typ := d.typ
	if d.alias != "" {
		l.place(name, &typ.Default, schema.TypeRef{NamedType: &d.alias}, "")
		return
	}
	l.unreachable(name, typ.Atom, "")
	eachPlace(&typ, func(def *any, ref schema.TypeRef, path string) { l.place(name, def, ref, path) })
}

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
	if !allowsKind(atom, def) {
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

// Finding is one thing that Lint finds in a definition, or package crd in a
// CustomResourceDefinition.
type Finding struct {
	Rule Rule
	// Document is the one that defines the type, empty for built-in types. Line is the line in it,
	// counted from 1, or 0 where it is not known, as in all that Lint finds.
	Document string
	Line     int
	// Type is the name of the definition, Path the place in it, such as
	// .ports[].protocol; {} stands for the values of a map. Empty for the
	// definition itself.
	Type, Path string
	// Message says what is there, what comes of it, and how to mend it.
	Message string
}

// String returns all of it in one line.
func (f Finding) String() string {
	s := f.Type + f.Path + ": " + f.Message + " (" + string(f.Rule) + ")"
	if f.Document != "" {
		s = f.Document + ": " + s
	}
	return s
}

// Rule is the id of what a Finding found. It is stable.
type Rule string

// The rules, each with the smallest input that breaks it, as properties of an
// object.
const (
	// KeyUnsatisfied: a key of a list that is neither required nor has a
	// default, so that an item without it is another item.
	//
	//	l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
	//	  items: {type: object, properties: {k: {type: string}}}}
	KeyUnsatisfied Rule = "key-without-default"
	// ZeroKey: a key of a list that is required and whose default is "",
	// 0 or false, so that a missing one goes unnoticed. Go types without
	// omitempty publish it.
	//
	//	l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
	//	  items: {type: object, required: [k], properties: {k: {type: string, default: ""}}}}
	ZeroKey Rule = "key-zero-default"
	// DefaultValue: a default that is not of its type, has items twice, lacks
	// what it must have, or has no end.
	//
	//	f: {type: integer, default: many}
	DefaultValue Rule = "default-value"
	// Unreachable: a default that nothing ever takes.
	//
	//	f: {type: array, items: {type: string, nullable: true, default: x}}
	Unreachable Rule = "unreachable-default"
	// BelowOptional: defaults below a field that is optional and has none, so that
	// they take effect only where somebody writes that field. Defaults that are
	// "", 0, false or empty do not count.
	//
	//	f: {type: object, properties: {g: {type: string, default: x}}}
	BelowOptional Rule = "default-below-optional"
	// SetOfObjects: a set of items that are no scalars, in which any item is an
	// error.
	//
	//	f: {type: array, x-kubernetes-list-type: set, items: {type: object}}
	SetOfObjects Rule = "set-of-objects"
	// NoListType: a list of objects that does not say what it is, and so is
	// atomic. Documents that were added are searched for it, not the built-in
	// types.
	//
	//	f: {type: array, items: {type: object, properties: {k: {type: string}}}}
	NoListType Rule = "missing-list-type"
)
