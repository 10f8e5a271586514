// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/schema"
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
	l.schema = &schema.Schema{Types: settle(all), DeclarativeDefaults: true}
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
	l.found = append(l.found, Finding{rule, document, name, shorten(path), fmt.Sprintf(format, args...)})
}

func (l *linter) keys() {
	report := l.catalog.UnsatisfiedKeys()
	for _, k := range report.Undefaulted {
		l.add(KeyUnsatisfied, k.Type, k.Path,
			"the key %q of the items is neither required nor has a default, so an item without it is another item; give it a default, or require it", shorten(k.Key))
	}
	for _, k := range report.ZeroDefaults {
		l.add(ZeroKey, k.Type, k.Path,
			"the key %q of the items is required and has the default %s, so a missing one goes unnoticed; take the default away", shorten(k.Key), shorten(manifest.Flow(k.Default, 100)))
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
		case list.ElementRelationship == schema.Associative && len(list.Keys) == 0:
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
