// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/kind"
	"github.com/dovetail-ssa/dovetail/schema"
)

// AddDefaults gives defaults to definitions that the catalog already has.
// They replace the defaults that are there. doc is one of
//
//   - an OpenAPI document, v2 or v3: its definitions' defaults are given to
//     the definitions of the same name; definitions and fields that the
//     catalog does not have are passed over, and so are, with a warning,
//     defaults that are not of the type that the catalog has;
//   - a table of definitions, fields and defaults.
//
// A table looks like this:
//
//	io.k8s.api.core.v1.ServicePort:
//	  protocol: TCP
//
// In a table a field may be a path into the definition: spec.ports[].protocol
// goes through the items of a list, labels{} through the values of a map. A
// path that ends in [] or {} gives the default of the item or value; the empty
// path that of the definition. A name that contains a dot or a bracket is
// taken as it is if there is such a field. It is an error if the catalog has
// no such definition or field, if the default is of the wrong type, or if it
// is that of a list-map key and no scalar.
func (c *Catalog) AddDefaults(name string, doc []byte) error {
	d := Document{name, doc}
	top, err := topLevel(d)
	if err != nil {
		return err
	}
	var defs map[string]*definition
	f := &findings{}
	if isOpenAPI(top) {
		defs, err = c.defaultsOf(f, d)
	} else {
		defs = c.table(f, name, top)
	}
	if err != nil {
		return err
	}
	c.checkGiven(f, name, defs)
	if err := f.err(); err != nil {
		return err
	}
	c.commit(defs, nil, f.warnings())
	return nil
}

// AddDefaultsOf gives the defaults of another catalog to definitions of the same
// name, as AddDefaults does those of a document. This is how schemas that were
// converted from OpenAPI v2 get the built-in defaults:
//
//	err := types.AddDefaultsOf(openapi.Builtin(openapi.Options{}))
func (c *Catalog) AddDefaultsOf(from *Catalog) error {
	f := &findings{}
	const doc = "another catalog"
	defs := c.copyDefaults(f, doc, from, c.Types())
	c.checkGiven(f, doc, defs)
	if err := f.err(); err != nil {
		return err
	}
	c.commit(defs, nil, f.warnings())
	return nil
}

func isOpenAPI(top map[string]any) bool {
	_, v2 := top["swagger"].(string)
	_, v3 := top["openapi"].(string)
	return v2 || v3
}

// defaultsOf returns the definitions of the catalog that a document has too,
// with the document's defaults.
func (c *Catalog) defaultsOf(f *findings, d Document) (map[string]*definition, error) {
	p, err := readPublished([]Document{d})
	if err != nil {
		return nil, err
	}
	given := c.definitions(p.source)
	if err := p.err(); err != nil {
		return nil, err
	}
	f.warns = p.warnings()
	with := &Catalog{builtin: c.builtin, release: c.release, defs: maps.Clone(c.defs)}
	maps.Copy(with.defs, given)
	return c.copyDefaults(f, d.Name, with, sortedKeys(given)), nil
}

// checkGiven reports keys of lists that a new default makes unfit: one of a
// key that is no scalar. defs are the definitions with the new defaults.
func (c *Catalog) checkGiven(f *findings, doc string, defs map[string]*definition) {
	for _, name := range c.Types() {
		d, changed := defs[name]
		if !changed {
			d, _ = c.find(name)
		}
		eachList(d.typ.Atom, "", func(l *schema.List, path string) {
			if item := l.ElementType.NamedType; !changed && (item == nil || defs[*item] == nil) {
				return
			}
			item := c.item(l.ElementType, defs)
			if item == nil {
				return
			}
			for _, key := range l.Keys {
				field, _ := item.FindField(key)
				switch field.Default.(type) {
				case map[string]any, []any:
					f.add(&f.errs, doc, nil, "want a scalar as default of %q, which is a key of the list %s%s, found %s",
						key, name, path, shape(field.Default))
				}
			}
		})
	}
}

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
	if want := g.catalog.atomOf(ref, g.defs); !allowsKind(want, def) {
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

// copyDefaults returns the definitions of these names that both catalogs have, as c has
// them, with the defaults of from. doc is what messages call those.
func (c *Catalog) copyDefaults(f *findings, doc string, from *Catalog, names []string) map[string]*definition {
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
		known, ok := c.release.typeNamed(name)
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
	if !allowsKind(atom, v) {
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

// allowsKind reports whether a type allows the kind of v. It does not look into lists and maps.
func allowsKind(a schema.Atom, v any) bool {
	return kind.Allowed(v, a.Scalar, a.List != nil, a.Map != nil)
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
