// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// table returns the definitions that a table of defaults names, with these
// defaults.
func (c *Catalog) table(f *findings, doc string, top map[string]any) map[string]*definition {
	r := &reader{source: &source{findings: f}, doc: doc}
	return c.edit(r, top, func(own *definition, path string, v any, at *place) {
		c.give(r, &own.typ, path, v, at)
	})
}

// edit returns copies of the definitions that a table names, after do has had each of
// its entries: a path into a definition and what stands there in the table.
func (c *Catalog) edit(r *reader, top map[string]any, do func(own *definition, path string, v any, at *place)) map[string]*definition {
	defs := map[string]*definition{}
	for _, name := range sortedKeys(top) {
		at := (*place)(nil).at(name)
		fields, ok := top[name].(map[string]any)
		if !ok {
			r.fail(at, "want a map of the fields of the definition, found %s", shape(top[name]))
			continue
		}
		old, ok := c.find(name)
		if !ok {
			r.fail(at, "want the name of a definition, found %q, which no document before defines", shorten(name))
			continue
		}
		own := *old
		own.typ = copyType(old.typ)
		for _, path := range sortedKeys(fields) {
			below := at
			if path != "" {
				below = at.at(path)
			}
			do(&own, path, fields[path], below)
		}
		defs[name] = &own
	}
	return defs
}

// spot is a place of a type that can have a default: the definition, a field,
// the items of a list or the values of a map.
type spot struct {
	def *any
	ref schema.TypeRef
}

// spotAt returns the place of a type that a path leads to, and whether it leads
// anywhere.
func (c *Catalog) spotAt(r *reader, td *schema.TypeDef, path string, at *place) (spot, bool) {
	s := spot{&td.Default, schema.TypeRef{Inlined: td.Atom}}
	for rest := path; rest != ""; {
		if s.ref.NamedType != nil {
			r.fail(at, "want a path within the definition, found %q, which goes on into %s; put it there",
				shorten(path), *s.ref.NamedType)
			return spot{}, false
		}
		next, below, found := s.step(rest)
		if !found {
			r.fail(at, "want a path to a field of the definition, found %q, of which there is no %q",
				shorten(path), shorten(rest))
			return spot{}, false
		}
		s, rest = next, below
	}
	return s, true
}

// give puts a default at a path into a type.
func (c *Catalog) give(r *reader, td *schema.TypeDef, path string, v any, at *place) {
	s, ok := c.spotAt(r, td, path, at)
	if !ok {
		return
	}
	if v == nil {
		r.fail(at, "want a default, found null")
		return
	}
	atom := s.ref.Inlined
	if s.ref.NamedType != nil {
		td, _ := c.resolve(*s.ref.NamedType)
		atom = td.Atom
	}
	if !allows(atom, v) {
		r.fail(at, "want a default of the type of %q, which is %s, found %s", shorten(path), atomName(atom), shape(v))
		return
	}
	*s.def = v
}

// step goes one step of a path. The longest name that is a field counts.
func (s spot) step(path string) (next spot, rest string, ok bool) {
	a := s.ref.Inlined
	if rest, ok := strings.CutPrefix(path, "[]"); ok && a.List != nil {
		return spot{&a.List.ElementDefault, a.List.ElementType}, strings.TrimPrefix(rest, "."), true
	}
	if rest, ok := strings.CutPrefix(path, "{}"); ok && a.Map != nil {
		return spot{&a.Map.ElementDefault, a.Map.ElementType}, strings.TrimPrefix(rest, "."), a.Map.ElementType != schema.TypeRef{}
	}
	if a.Map == nil {
		return spot{}, "", false
	}
	longest := -1
	for i := range a.Map.Fields {
		name := a.Map.Fields[i].Name
		if below, found := strings.CutPrefix(path, name); found && len(name) > longest &&
			(below == "" || strings.HasPrefix(below, ".") || strings.HasPrefix(below, "[]") || strings.HasPrefix(below, "{}")) {
			longest = len(name)
			next = spot{&a.Map.Fields[i].Default, a.Map.Fields[i].Type}
			rest = strings.TrimPrefix(below, ".")
		}
	}
	return next, rest, longest >= 0
}

// allows reports whether a type allows a value, as far as its kind goes.
func allows(a schema.Atom, v any) bool {
	want := schema.Untyped
	switch v.(type) {
	case map[string]any:
		return a.Map != nil
	case []any:
		return a.List != nil
	case string:
		want = schema.String
	case bool:
		want = schema.Boolean
	default:
		want = schema.Numeric
	}
	return a.Scalar != nil && (*a.Scalar == want || *a.Scalar == schema.Untyped)
}

func atomName(a schema.Atom) string {
	switch {
	case a.Scalar != nil && *a.Scalar == schema.Untyped:
		return "a scalar"
	case a.Scalar != nil:
		return wanted(string(*a.Scalar))
	case a.List != nil:
		return "a list"
	case a.Map != nil:
		return "a map"
	}
	return "nothing"
}
