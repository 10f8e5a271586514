// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"

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
//	err := types.AddDefaultsOf(openapi.Builtin())
func (c *Catalog) AddDefaultsOf(from *Catalog) error {
	f := &findings{}
	const doc = "another catalog"
	defs := c.graft(f, doc, from, c.Types())
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
	with := &Catalog{builtin: c.builtin, defs: maps.Clone(c.defs)}
	maps.Copy(with.defs, given)
	return c.graft(f, d.Name, with, sortedKeys(given)), nil
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
