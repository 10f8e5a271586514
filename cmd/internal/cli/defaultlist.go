// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// defaultList lists the defaults of types by their paths.
type defaultList struct {
	schema *schema.Schema
	// expand says that types which are referred to are listed in place.
	expand bool
	// skip says which defaults of a definition are not listed.
	skip skipDefault
	// definition is the one around a place.
	definition string
	// found are the defaults by path.
	found map[string]any
	// within are the named types around a place.
	within map[string]bool
}

// skipDefault says whether a default within a definition is not listed.
type skipDefault func(definition string, def any) bool

// maxDefaults bounds a list: types that refer to each other can have more paths
// than anybody reads.
const maxDefaults = 100_000

// defaultsOf returns the defaults of an object of a type and of all that is
// below, by path. A type within itself is followed once.
func defaultsOf(s *schema.Schema, ref schema.TypeRef, skip skipDefault) (map[string]any, error) {
	l := &defaultList{schema: s, expand: true, skip: skip, found: map[string]any{}, within: map[string]bool{}}
	l.place(nil, ref, "")
	if len(l.found) > maxDefaults {
		return nil, fmt.Errorf("more than %d defaults; ask for a type below", maxDefaults)
	}
	return l.found, nil
}

// defaultsTable returns the defaults of all types of a schema in the form that
// --defaults reads: by type, then by path within it.
func defaultsTable(s *schema.Schema, skip skipDefault) map[string]map[string]any {
	table := map[string]map[string]any{}
	for i := range s.Types {
		td := &s.Types[i]
		l := &defaultList{schema: s, skip: skip, definition: td.Name, found: map[string]any{}}
		l.put(td.Default, "")
		l.atom(td.Atom, "")
		if len(l.found) == 0 {
			continue
		}
		table[td.Name] = make(map[string]any, len(l.found))
		for path, def := range l.found {
			table[td.Name][strings.TrimPrefix(path, ".")] = def
		}
	}
	return table
}

func (l *defaultList) put(def any, path string) {
	if def != nil && !l.skip(l.definition, def) {
		l.found[path] = def
	}
}

func (l *defaultList) place(def any, ref schema.TypeRef, path string) {
	if len(l.found) > maxDefaults {
		return
	}
	if ref.NamedType == nil {
		l.put(def, path)
		l.atom(ref.Inlined, path)
		return
	}
	name := *ref.NamedType
	td, _ := l.schema.FindNamedType(name)
	if def == nil && l.expand {
		def = td.Default
	}
	l.put(def, path)
	if l.expand && !l.within[name] {
		around := l.definition
		l.within[name], l.definition = true, name
		l.atom(td.Atom, path)
		l.definition = around
		delete(l.within, name)
	}
}

func (l *defaultList) atom(a schema.Atom, path string) {
	if a.List != nil {
		l.place(a.List.ElementDefault, a.List.ElementType, path+"[]")
	}
	if a.Map != nil {
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			l.place(f.Default, f.Type, path+"."+f.Name)
		}
		l.place(a.Map.ElementDefault, a.Map.ElementType, path+"{}")
	}
}
