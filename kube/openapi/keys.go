// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/schema"
)

// checkKeys reports keys of associative lists that cannot identify an item:
// errors, or warnings if the source was published by a server.
func (c *Catalog) checkKeys(s *source, lists []keyed, defs map[string]*definition) {
	report := &s.errs
	if s.published {
		report = &s.warns
	}
	for _, l := range lists {
		item := c.item(l.list.ElementType, defs)
		for i, key := range l.list.Keys {
			at := l.node.at.at("x-kubernetes-patch-merge-key")
			if len(l.node.keys) > 0 {
				at = l.node.at.at("x-kubernetes-list-map-keys").item(i)
			}
			if problem := keyProblem(item, key); problem != "" {
				s.add(report, l.node.doc, at, "%s", problem)
			}
		}
	}
}

// item returns the map or struct that items of a type are, looked up among
// defs and the catalog's definitions; nil if they are none.
func (c *Catalog) item(tr schema.TypeRef, defs map[string]*definition) *schema.Map {
	return c.atomOf(tr, defs).Map
}

// atomOf returns what a reference leads to, looked up among defs and the
// catalog's definitions.
func (c *Catalog) atomOf(tr schema.TypeRef, defs map[string]*definition) schema.Atom {
	if tr.NamedType == nil {
		return tr.Inlined
	}
	name := *tr.NamedType
	for range len(defs) {
		d, ok := defs[name]
		if !ok {
			break
		}
		if d.alias == "" {
			return d.typ.Atom
		}
		name = d.alias
	}
	td, _ := c.resolve(name)
	return td.Atom
}

// keyProblem says why a field cannot be a key, empty if it can.
func keyProblem(item *schema.Map, key string) string {
	if item == nil {
		return fmt.Sprintf("want items that are objects, for the key %q", shorten(key))
	}
	f, ok := item.FindField(key)
	if !ok {
		return fmt.Sprintf("want the name of a property of the items, found %q", shorten(key))
	}
	switch f.Default.(type) {
	case map[string]any, []any:
		return fmt.Sprintf("want a scalar as default of the key %q, found %s", shorten(key), shape(f.Default))
	}
	if f.Type.Nullable {
		return fmt.Sprintf("want a key that is not nullable, found %q, which is", shorten(key))
	}
	return ""
}
