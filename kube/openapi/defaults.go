// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/kind"
	"github.com/dovetail-ssa/dovetail/schema"
)

// AddDefaults adds defaults to definitions in the catalog. New defaults replace existing
// ones. doc is either:
//
//   - An OpenAPI document, v2 or v3. The defaults of its definitions are copied to the
//     definitions of the same name. Definitions and fields that the catalog does not have are
//     ignored. A default of a wrong type is ignored with a warning.
//   - A table of definitions, fields and defaults.
//
// A table looks like this:
//
//	io.k8s.api.core.v1.ServicePort:
//	  protocol: TCP
//
// In a table, a field may be a path inside the definition. For example,
// spec.ports[].protocol is a field of list items, and labels{} stands for the values of a
// map. A path that ends in [] or {} sets the default of the items or values. The empty
// path sets the default of the definition itself. A dot or bracket that belongs to the
// name of a field does not split the path.
//
// AddDefaults returns an error if the catalog lacks the definition or the field, if the
// default has a wrong type, or if the default of a list key is not a scalar.
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
	c.checkNewDefaults(f, name, defs)
	if err := f.err(); err != nil {
		return err
	}
	c.commit(defs, nil, f.warnings())
	return nil
}

// AddDefaultsOf copies the defaults from another catalog to definitions with the same
// names, as AddDefaults does for a document. For example, this call adds the built-in
// defaults to schemas from OpenAPI v2:
//
//	err := types.AddDefaultsOf(openapi.Builtin(openapi.Options{}))
func (c *Catalog) AddDefaultsOf(from *Catalog) error {
	f := &findings{}
	const doc = "another catalog"
	defs := c.copyDefaults(f, doc, from, c.Types())
	c.checkNewDefaults(f, doc, defs)
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

// defaultsOf copies the defaults in a document to definitions of the catalog. It returns copies of
// the definitions that the document and the catalog both have.
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

// checkNewDefaults reports list keys whose new default is not a scalar. defs contains the
// definitions with new defaults.
func (c *Catalog) checkNewDefaults(f *findings, doc string, defs map[string]*definition) {
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
					f.add(&f.errs, doc, nil, "%q is a key of the list %s%s, so its default must be a scalar, found %s",
						key, name, path, shape(field.Default))
				}
			}
		})
	}
}

// defaultCopier copies defaults from one definition to another, for the fields, items and
// values that both have.
type defaultCopier struct {
	catalog *Catalog
	// defs contains the definitions that will be added to the catalog.
	defs map[string]*definition
	// keepExisting is true if the copier must not replace existing defaults.
	keepExisting bool
	// mismatch is called for each default that cannot be copied because it has a wrong type.
	mismatch func(path string, want schema.Atom, def any)
}

// definition copies the defaults of a type (from) to a definition (to). It changes the definition,
// so no other catalog may share the definition.
func (g *defaultCopier) definition(to *definition, from schema.TypeDef) {
	ref := schema.TypeRef{Inlined: to.typ.Atom}
	if to.alias != "" {
		ref = schema.TypeRef{NamedType: &to.alias}
	}
	g.set(&to.typ.Default, from.Default, ref, "")
	g.atom(to.typ.Atom, from.Atom, "")
}

func (g *defaultCopier) set(to *any, def any, ref schema.TypeRef, path string) {
	if def == nil || g.keepExisting && *to != nil {
		return
	}
	if want := g.catalog.atomOf(ref, g.defs); !allowsKind(want, def) {
		g.mismatch(path, want, def)
		return
	}
	*to = def
}

func (g *defaultCopier) atom(to, from schema.Atom, path string) {
	if to.List != nil && from.List != nil {
		g.set(&to.List.ElementDefault, from.List.ElementDefault, to.List.ElementType, path+"[]")
		g.atom(to.List.ElementType.Inlined, from.List.ElementType.Inlined, path+"[]")
	}
	if to.Map == nil || from.Map == nil {
		return
	}
	g.set(&to.Map.ElementDefault, from.Map.ElementDefault, to.Map.ElementType, path+"{}")
	g.atom(to.Map.ElementType.Inlined, from.Map.ElementType.Inlined, path+"{}")
	for i := range to.Map.Fields {
		f := &to.Map.Fields[i]
		if given, ok := from.Map.FindField(f.Name); ok {
			g.set(&f.Default, given.Default, f.Type, path+"."+f.Name)
			g.atom(f.Type.Inlined, given.Type.Inlined, path+"."+f.Name)
		}
	}
}

// copyDefaults copies defaults from another catalog. It returns copies of the named definitions
// with these defaults, and omits definitions that only one of the catalogs has. doc is the name of
// the other catalog in messages.
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
		g := defaultCopier{catalog: c, mismatch: func(path string, want schema.Atom, def any) {
			f.add(&f.warns, doc, nil, "the default of %s%s is ignored: want %s, found %s",
				name, shorten(path), atomName(want), shape(def))
		}}
		g.definition(&own, given)
		defs[name] = &own
	}
	return defs
}

// fillBuiltin adds the built-in defaults to definitions from OpenAPI v2 documents, because these
// documents never contain defaults. defs contains the definitions of the source s.
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
		g := defaultCopier{catalog: c, defs: defs, keepExisting: true, mismatch: func(path string, want schema.Atom, def any) {
			s.add(&s.warns, n.doc, n.at, "the built-in default of %s%s is ignored: want %s, found %s",
				name, shorten(path), atomName(want), shape(def))
		}}
		g.definition(defs[name], known)
	}
}

// copyType returns a deep copy of a type.
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

// table reads a table of defaults. It returns copies of the listed definitions with these defaults.
func (c *Catalog) table(f *findings, doc string, top map[string]any) map[string]*definition {
	r := &reader{source: &source{findings: f}, doc: doc}
	return c.edit(r, top, func(own *definition, path string, v any, at *place) {
		c.setDefault(r, &own.typ, path, v, at)
	})
}

// edit returns changed copies of definitions. The parameter top is the content of a file that maps the
// names of definitions to fields, and each field to a value. For each value, edit calls the function do
// with a copy of the definition, the path of the field in it, and the value.
func (c *Catalog) edit(r *reader, top map[string]any, do func(own *definition, path string, v any, at *place)) map[string]*definition {
	defs := map[string]*definition{}
	for _, name := range sortedKeys(top) {
		at := (*place)(nil).at(name)
		fields, ok := top[name].(map[string]any)
		if !ok {
			r.fail(at, "want a map from fields of the definition to defaults or markers, found %s", shape(top[name]))
			continue
		}
		old, ok := c.find(name)
		if !ok {
			r.fail(at, "no earlier document has a definition %q; correct the name, or add the document first", shorten(name))
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

// defaultTarget is something that can have a default: a definition, a field, the items of a list or
// the values of a map.
type defaultTarget struct {
	def *any
	ref schema.TypeRef
}

// targetAt returns the target at a path inside a type. If the path does not exist, targetAt reports
// an error and returns false.
func (c *Catalog) targetAt(r *reader, td *schema.TypeDef, path string, at *place) (defaultTarget, bool) {
	s := defaultTarget{&td.Default, schema.TypeRef{Inlined: td.Atom}}
	for rest := path; rest != ""; {
		if s.ref.NamedType != nil {
			r.fail(at, "the path %q leads into another definition; use a path within %s instead",
				shorten(path), *s.ref.NamedType)
			return defaultTarget{}, false
		}
		next, below, found := s.step(rest)
		if !found {
			r.fail(at, "the path %q does not exist: there is no field %q",
				shorten(path), shorten(rest))
			return defaultTarget{}, false
		}
		s, rest = next, below
	}
	return s, true
}

// setDefault sets the default at a path inside a type.
func (c *Catalog) setDefault(r *reader, td *schema.TypeDef, path string, v any, at *place) {
	s, ok := c.targetAt(r, td, path, at)
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
		r.fail(at, "the default of %q must be %s, found %s", shorten(path), atomName(atom), shape(v))
		return
	}
	*s.def = v
}

// step follows the first name in a path and returns the rest of the path. Field names can contain
// dots, so step chooses the longest name that is a field.
func (s defaultTarget) step(path string) (next defaultTarget, rest string, ok bool) {
	a := s.ref.Inlined
	if rest, ok := strings.CutPrefix(path, "[]"); ok && a.List != nil {
		return defaultTarget{&a.List.ElementDefault, a.List.ElementType}, strings.TrimPrefix(rest, "."), true
	}
	if rest, ok := strings.CutPrefix(path, "{}"); ok && a.Map != nil {
		return defaultTarget{&a.Map.ElementDefault, a.Map.ElementType}, strings.TrimPrefix(rest, "."), a.Map.ElementType != schema.TypeRef{}
	}
	if a.Map == nil {
		return defaultTarget{}, "", false
	}
	longest := -1
	for i := range a.Map.Fields {
		name := a.Map.Fields[i].Name
		if below, found := strings.CutPrefix(path, name); found && len(name) > longest &&
			(below == "" || strings.HasPrefix(below, ".") || strings.HasPrefix(below, "[]") || strings.HasPrefix(below, "{}")) {
			longest = len(name)
			next = defaultTarget{&a.Map.Fields[i].Default, a.Map.Fields[i].Type}
			rest = strings.TrimPrefix(below, ".")
		}
	}
	return next, rest, longest >= 0
}

// allowsKind reports whether a type allows values of the same kind as v, such as strings. It does not
// look inside lists and maps.
func allowsKind(a schema.Atom, v any) bool {
	return kind.Allowed(v, a.Scalar, a.List != nil, a.Map != nil)
}

func atomName(a schema.Atom) string {
	switch {
	case a.Scalar != nil && *a.Scalar == schema.Untyped:
		return "a scalar"
	case a.Scalar != nil:
		return withArticle(string(*a.Scalar))
	case a.List != nil:
		return "a list"
	case a.Map != nil:
		return "a map"
	}
	return "nothing"
}
