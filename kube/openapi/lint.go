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

// Lint returns probable mistakes in the types of the catalog, sorted by document, type,
// path and rule. It decodes all types. For problems in the documents themselves, see
// Warnings. After the last addition to the catalog, Lint is safe for concurrent use.
func (c *Catalog) Lint() []Finding {
	l := linter{catalog: c, defaultPaths: map[string]string{}, budget: maxLinted}
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
	l.defaultUsed = l.references()
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

// linter collects findings.
type linter struct {
	catalog *Catalog
	// schema contains all types of the catalog.
	schema *schema.Schema
	// defaultUsed contains the names of all definitions to which other types refer. The value of a
	// name is true if a reference uses the definition's own default.
	defaultUsed map[string]bool
	// defaultPaths caches the results of filledBelow for named types.
	defaultPaths map[string]string
	// budget is the number of values that Lint may still add when it fills in defaults.
	budget int
	found  []Finding
}

// maxLinted is the initial budget. It limits the work of Lint for defaults that contain many other
// defaults.
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
			"the key %q in x-kubernetes-list-map-keys is optional and has no default, so an item without the key cannot be identified; require the key, or add a default", shorten(k.Key))
	}
	for _, k := range report.zeroDefaults {
		l.add(ZeroKey, k.Type, k.Path,
			"the key %q is required but has the default %s, so an item without the key silently gets the default; remove the default", shorten(k.Key), shorten(flow.Of(k.Default, 100)))
	}
}

// references returns the names of all definitions to which other types refer. The map value is true if
// at least one reference uses the definition's own default.
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

// isElement reports whether a path leads to the items of a list or the values of a map. A default
// of items or values only replaces nulls.
func isElement(path string) bool {
	return strings.HasSuffix(path, "[]") || strings.HasSuffix(path, "{}")
}

// isListKind reports whether a type is a List kind. Lint skips such types, because nobody
// applies a List.
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
				"this set has items that are %s, but a server-side apply fails unless the items of a set are scalars; use the list type map with x-kubernetes-list-map-keys, or atomic", atomName(a))
		case a.Map != nil && slices.Contains(d.untypedLists, path) && !(path == ".items" && isListKind(d.typ)):
			l.add(NoListType, name, path,
				"this list has no x-kubernetes-list-type, so it is atomic, and managers cannot own single items; use the type map with the keys that identify an item, or the type atomic")
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

// place checks the default of one field, item or value, if it has one. name is the type that contains
// the default, and path is the path of the default inside the type.
func (l *linter) place(name string, def *any, ref schema.TypeRef, path string) {
	if *def == nil {
		return
	}
	if taken, referred := l.defaultUsed[name]; path == "" && referred && !taken {
		l.add(Unreachable, name, path,
			"this default is never used, because every reference to the definition has its own default; remove it")
	}
	if ref.Nullable && isElement(path) {
		l.add(Unreachable, name, path,
			"this default is never used: it could only replace a null, but the schema is nullable, so a null stays; remove the default or nullable")
	}
	for _, problem := range l.problems(*def, ref) {
		l.add(DefaultValue, name, path, "%s", problem)
	}
}

// problems returns the problems of a default. It checks the default together with the defaults of the
// fields inside it.
func (l *linter) problems(def any, ref schema.TypeRef) []string {
	if l.budget <= 0 {
		return nil
	}
	atom := l.catalog.atomOf(ref, nil)
	if !allowsKind(atom, def) {
		return []string{fmt.Sprintf("the default must be %s, found %s", atomName(atom), shape(def))}
	}
	pt := typed.ParseableType{Schema: l.schema, TypeRef: ref}
	tv, err := pt.FromUnstructured(def)
	if err != nil {
		return describeMismatches(err)
	}
	if tv, err = tv.Default(); err != nil {
		// After an error, the number of added values is not known, so subtract an estimate.
		return append(describeMismatches(err), l.spend(maxLinted/8)...)
	}
	filled := tv.AsValue().Unstructured()
	problems := l.spend(countValues(filled))
	if !isEmpty(def) { // skip {}, because its missing fields matter only in objects that get this default
		problems = l.missingRequired(problems, atom, filled, "", 0)
	}
	return problems
}

// spend subtracts n from the budget of values. If the budget is used up, it returns a problem
// that says so.
func (l *linter) spend(n int) []string {
	if l.budget -= n; l.budget > 0 {
		return nil
	}
	return []string{fmt.Sprintf("the defaults checked so far add more than %d values, or never end, so the remaining defaults are not checked", maxLinted)}
}

// maxProblems limits the number of problems that are reported for one default.
const maxProblems = 10

// describeMismatches converts validation errors of a default to descriptions of its problems.
func describeMismatches(err error) []string {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return []string{"the default is invalid: " + shorten(err.Error())}
	}
	var problems []string
	for _, e := range all[:min(len(all), maxProblems)] {
		problem, at := e.ErrorMessage, ""
		if f := diag.Of(e); f != nil && f.Code == diag.WrongType && f.Want != "" {
			problem = "want " + withArticle(f.Want) + ", found " + shape(f.Found)
		}
		if e.Path != "" {
			at = " at " + shorten(e.Path)
		}
		problems = append(problems, "the default is invalid"+at+": "+shorten(problem))
	}
	return problems
}

// withArticle returns the name of a kind of value with an article, such as "a number".
func withArticle(kind string) string {
	if kind == string(schema.Numeric) {
		return "a number"
	}
	return "a " + kind
}

// missingRequired appends a problem for each required field that is missing in v, or inside v.
func (l *linter) missingRequired(problems []string, a schema.Atom, v any, path string, depth int) []string {
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
				problems = append(problems, "the default does not have the required field "+shorten(path+"."+name))
			}
		}
		for _, name := range sortedKeys(v) {
			ref := a.Map.ElementType
			if f, ok := a.Map.FindField(name); ok {
				ref = f.Type
			}
			problems = l.missingRequired(problems, l.catalog.atomOf(ref, nil), v[name], path+"."+name, depth+1)
		}
	case []any:
		if a.List == nil {
			break
		}
		for i, item := range v {
			if len(problems) >= maxProblems {
				break
			}
			problems = l.missingRequired(problems, l.catalog.atomOf(a.List.ElementType, nil), item, fmt.Sprintf("%s[%d]", path, i), depth+1)
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

// countValues returns the number of values in v, including v itself.
func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, c := range v {
			n += countValues(c)
		}
	case []any:
		for _, c := range v {
			n += countValues(c)
		}
	}
	return n
}

// unreachable reports optional fields without a default that contain fields with defaults.
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
				"this field is optional and has no default, so the defaults inside it (such as the default of %s) apply only to objects that set the field; add default: {} if they should always apply", shorten(at+first))
		}
	}
}

// filledBelow returns the path of the first field that gets a default in an empty object of a type. It
// ignores defaults that are zero values, such as "". It returns "" if there is no such field.
func (l *linter) filledBelow(ref schema.TypeRef) string {
	if ref.NamedType == nil {
		return l.filledIn(ref)
	}
	path, known := l.defaultPaths[*ref.NamedType]
	if !known {
		l.defaultPaths[*ref.NamedType] = "" // ends the recursion of a type that contains itself
		path = l.filledIn(ref)
		l.defaultPaths[*ref.NamedType] = path
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

// Finding is a problem in a definition. It comes from Lint, or from package crd if the
// definition is a CustomResourceDefinition.
type Finding struct {
	Rule Rule
	// Document is the document that defines the type, or "" for a built-in type. Line is the
	// line number in the document, starting at 1, or 0 if it is not known. In findings of
	// Lint, Line is always 0.
	Document string
	Line     int
	// Type is the name of the definition. Path is the path inside it, such as
	// .ports[].protocol. [] stands for the items of a list, {} for the values of a map. Path
	// is empty if the finding is about the definition itself.
	Type, Path string
	// Message describes the problem, its consequences and the fix.
	Message string
}

// String returns the finding as one line.
func (f Finding) String() string {
	s := f.Type + f.Path + ": " + f.Message + " (" + string(f.Rule) + ")"
	if f.Document != "" {
		s = f.Document + ": " + s
	}
	return s
}

// Rule is the stable id of a rule.
type Rule string

// These are the rules. Each comment has an example that breaks the rule, written as
// properties of an object.
const (
	// KeyUnsatisfied: a list key is not required and has no default. A list item without the key
	// cannot be identified.
	//
	//	l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
	//	  items: {type: object, properties: {k: {type: string}}}}
	KeyUnsatisfied Rule = "key-without-default"
	// ZeroKey: a list key is required and has the default "", 0 or false. Because of the
	// default, validation accepts an item without the key. Go fields without omitempty lead
	// to such defaults.
	//
	//	l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
	//	  items: {type: object, required: [k], properties: {k: {type: string, default: ""}}}}
	ZeroKey Rule = "key-zero-default"
	// DefaultValue: a default has a wrong type, has duplicate items, or lacks a required field. The
	// rule also covers a default that contains itself and therefore never ends.
	//
	//	f: {type: integer, default: many}
	DefaultValue Rule = "default-value"
	// Unreachable: a default is never used. In the example, it could only replace a null item, but
	// null items are allowed.
	//
	//	f: {type: array, items: {type: string, nullable: true, default: x}}
	Unreachable Rule = "unreachable-default"
	// BelowOptional: an optional field has no default, but fields inside it do. The inner
	// defaults apply only to objects that set the outer field. The rule ignores the defaults
	// "", 0, false, {} and [].
	//
	//	f: {type: object, properties: {g: {type: string, default: x}}}
	BelowOptional Rule = "default-below-optional"
	// SetOfObjects: the items of a set are not scalars. A server-side apply of such a list
	// fails.
	//
	//	f: {type: array, x-kubernetes-list-type: set, items: {type: object}}
	SetOfObjects Rule = "set-of-objects"
	// NoListType: a list of objects has no list type, so it is atomic. Lint checks this rule
	// for added documents, but not for the built-in types.
	//
	//	f: {type: array, items: {type: object, properties: {k: {type: string}}}}
	NoListType Rule = "missing-list-type"
)
