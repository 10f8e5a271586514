package openapi

import (
	"github.com/dovetail-ssa/dovetail/schema"
)

// AddDefaults gives defaults to definitions that the catalog already has.
// They replace the defaults that are there. doc is one of
//
//   - an OpenAPI document, v2 or v3: its definitions' defaults are given to
//     the definitions of the same name; definitions and fields that the
//     catalog does not have are passed over;
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
	defs := map[string]*definition{}
	for name, from := range given {
		if to, ok := c.find(name); ok {
			own := *to
			own.typ = copyType(to.typ)
			graft(&own.typ, from.typ)
			defs[name] = &own
		}
	}
	return defs, nil
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

// graft copies the defaults of one type to another, where both have the place.
func graft(to *schema.TypeDef, from schema.TypeDef) {
	if from.Default != nil {
		to.Default = from.Default
	}
	graftAtom(to.Atom, from.Atom)
}

func graftAtom(to, from schema.Atom) {
	if to.List != nil && from.List != nil {
		if from.List.ElementDefault != nil {
			to.List.ElementDefault = from.List.ElementDefault
		}
		graftAtom(to.List.ElementType.Inlined, from.List.ElementType.Inlined)
	}
	if to.Map == nil || from.Map == nil {
		return
	}
	if from.Map.ElementDefault != nil {
		to.Map.ElementDefault = from.Map.ElementDefault
	}
	graftAtom(to.Map.ElementType.Inlined, from.Map.ElementType.Inlined)
	for i := range to.Map.Fields {
		f := &to.Map.Fields[i]
		if g, ok := from.Map.FindField(f.Name); ok {
			if g.Default != nil {
				f.Default = g.Default
			}
			graftAtom(f.Type.Inlined, g.Type.Inlined)
		}
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
