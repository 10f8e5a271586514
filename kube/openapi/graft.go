// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"github.com/dovetail-ssa/dovetail/schema"
)

// grafter copies the defaults of one definition to another, where both have the
// place.
type grafter struct {
	catalog *Catalog
	// defs are definitions that the catalog is about to have.
	defs map[string]*definition
	// fill says that defaults that are there stay.
	fill bool
	// misfit is told of defaults that are not of the type of their new place,
	// which are not copied.
	misfit func(path string, want schema.Atom, def any)
}

// definition writes to to, which must not be shared.
func (g *grafter) definition(to *definition, from schema.TypeDef) {
	ref := schema.TypeRef{Inlined: to.typ.Atom}
	if to.alias != "" {
		ref = schema.TypeRef{NamedType: &to.alias}
	}
	g.put(&to.typ.Default, from.Default, ref, "")
	g.atom(to.typ.Atom, from.Atom, "")
}

func (g *grafter) put(to *any, def any, ref schema.TypeRef, path string) {
	if def == nil || g.fill && *to != nil {
		return
	}
	if want := g.catalog.atomOf(ref, g.defs); !allows(want, def) {
		g.misfit(path, want, def)
		return
	}
	*to = def
}

func (g *grafter) atom(to, from schema.Atom, path string) {
	if to.List != nil && from.List != nil {
		g.put(&to.List.ElementDefault, from.List.ElementDefault, to.List.ElementType, path+"[]")
		g.atom(to.List.ElementType.Inlined, from.List.ElementType.Inlined, path+"[]")
	}
	if to.Map == nil || from.Map == nil {
		return
	}
	g.put(&to.Map.ElementDefault, from.Map.ElementDefault, to.Map.ElementType, path+"{}")
	g.atom(to.Map.ElementType.Inlined, from.Map.ElementType.Inlined, path+"{}")
	for i := range to.Map.Fields {
		f := &to.Map.Fields[i]
		if given, ok := from.Map.FindField(f.Name); ok {
			g.put(&f.Default, given.Default, f.Type, path+"."+f.Name)
			g.atom(f.Type.Inlined, given.Type.Inlined, path+"."+f.Name)
		}
	}
}

// graft returns the definitions of these names that both catalogs have, as c has
// them, with the defaults of from. doc is what messages call those.
func (c *Catalog) graft(f *findings, doc string, from *Catalog, names []string) map[string]*definition {
	defs := map[string]*definition{}
	for _, name := range names {
		to, ok := c.find(name)
		if !ok {
			continue
		}
		given, ok := from.resolve(name)
		if !ok {
			continue
		}
		own := *to
		own.typ = copyType(to.typ)
		g := grafter{catalog: c, misfit: func(path string, want schema.Atom, def any) {
			f.add(&f.warns, doc, nil, "passed over for %s%s: want a default that is %s, found %s",
				name, shorten(path), atomName(want), shape(def))
		}}
		g.definition(&own, given)
		defs[name] = &own
	}
	return defs
}

// fillBuiltin gives the built-in defaults to definitions of OpenAPI v2
// documents, which carry none. defs are those of s.
func (c *Catalog) fillBuiltin(s *source, defs map[string]*definition) {
	for _, name := range sortedKeys(defs) {
		n := s.nodes[name]
		if n == nil || !n.v2 {
			continue
		}
		known, ok := builtinType(name)
		if !ok {
			continue
		}
		g := grafter{catalog: c, defs: defs, fill: true, misfit: func(path string, want schema.Atom, def any) {
			s.add(&s.warns, n.doc, n.at, "the default of the built-in %s%s is passed over: want one that is %s, found %s",
				name, shorten(path), atomName(want), shape(def))
		}}
		g.definition(defs[name], known)
	}
}

// copyType returns a copy of a type of which every part can be changed.
func copyType(td schema.TypeDef) schema.TypeDef {
	td.Atom = copyAtom(td.Atom)
	return td
}

func copyAtom(a schema.Atom) schema.Atom {
	if a.List != nil {
		l := *a.List
		l.ElementType.Inlined = copyAtom(l.ElementType.Inlined)
		a.List = &l
	}
	if a.Map != nil {
		m := copyMap(a.Map)
		m.ElementType.Inlined = copyAtom(m.ElementType.Inlined)
		for i := range m.Fields {
			m.Fields[i].Type.Inlined = copyAtom(m.Fields[i].Type.Inlined)
		}
		a.Map = m
	}
	return a
}
