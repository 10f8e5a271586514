// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// The metadata of a resource within another has the type of all metadata, whatever the
// CRD says of it, and the defaults that the CRD says. The API server drops from those,
// and from the defaults around them, what is no metadata.

// embedded makes resources of the embedded resources at and below n.
func (r *crdVersionReader) embedded(n *node) {
	for _, p := range n.properties {
		r.embedded(p)
	}
	if n.items != nil {
		r.embedded(n.items)
	}
	if n.additional != nil {
		r.embedded(n.additional)
	}
	n.def = r.coerced(n.def, n)
	if !n.embedded {
		return
	}
	said := maps.Clone(n.properties)
	r.object(n)
	for _, name := range []string{"apiVersion", "kind"} {
		if p := said[name]; p != nil && fits(p.def, "string") {
			n.properties[name].def = p.def
		}
	}
	if p := said["metadata"]; p != nil {
		meta := n.properties["metadata"]
		meta.def, meta.given = r.metadata(p.def), p
		for _, field := range p.properties {
			if isUnset(field.def) {
				field.def = nil
			}
		}
	}
	n.required = append(n.required, "kind", "apiVersion")
}

// coerced returns a default of n without what is no metadata in embedded resources.
func (r *crdVersionReader) coerced(def any, n *node) any {
	switch def := def.(type) {
	case map[string]any:
		m := maps.Clone(def)
		for name, v := range m {
			p, ok := n.properties[name]
			switch {
			case n.embedded && name == "metadata":
				m[name] = r.metadata(v)
			case ok:
				m[name] = r.coerced(v, p)
			case n.additional != nil:
				m[name] = r.coerced(v, n.additional)
			}
		}
		return m
	case []any:
		if n.items == nil {
			return def
		}
		list := make([]any, len(def))
		for i := range def {
			list[i] = r.coerced(def[i], n.items)
		}
		return list
	}
	return def
}

// metadata returns metadata without fields that are unset, unknown or of another type.
func (r *crdVersionReader) metadata(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	kept := map[string]any{}
	for name, v := range m {
		if isUnset(v) {
			continue
		}
		field, _ := r.catalog.fitting(map[string]any{name: v}, schema.TypeRef{NamedType: ptr(objectMeta)}).(map[string]any)
		maps.Copy(kept, field)
	}
	return kept
}

// isUnset says whether Go's type of metadata writes no field for that value of it.
func isUnset(v any) bool { return v == nil || v == "" || isEmpty(v) }

// fitting returns a default without fields that a type of the API machinery does not
// have; nil if it is of another type.
func (c *Catalog) fitting(def any, ref schema.TypeRef) any {
	types := map[string]schema.TypeDef{}
	eachName(schema.Atom{List: &schema.List{ElementType: ref}}, func(name string) {
		reached, _ := c.reachable(name)
		maps.Copy(types, reached)
	})
	s := &schema.Schema{Types: settle(types)}
	known, err := typed.AsTypedUnvalidated(value.NewValueInterface(def), s, ref).Prune()
	if err != nil || known.Validate() != nil {
		return nil
	}
	return known.AsValue().Unstructured()
}

// withDefaults returns the type of a place with the defaults that n says of what is
// below, in a copy if it says any.
func (c *Catalog) withDefaults(ref schema.TypeRef, n *node) schema.TypeRef {
	if !n.defaultBelow() {
		return ref
	}
	a := copyAtom(c.atomOf(ref, nil))
	put := func(def *any, ref *schema.TypeRef, n *node) {
		if n == nil {
			return
		}
		if n.def != nil {
			if given := c.fitting(n.def, *ref); given != nil {
				*def = given
			}
		}
		*def = c.defaultOf(*def, *ref)
		*ref = c.withDefaults(*ref, n)
	}
	if a.List != nil {
		put(&a.List.ElementDefault, &a.List.ElementType, n.items)
	}
	if a.Map != nil {
		if a.Map.ElementType != (schema.TypeRef{}) {
			put(&a.Map.ElementDefault, &a.Map.ElementType, n.additional)
		}
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			put(&f.Default, &f.Type, n.properties[f.Name])
		}
	}
	ref.NamedType, ref.Inlined = nil, a
	return ref
}

// defaultBelow says whether a schema below n has a default.
func (n *node) defaultBelow() bool {
	has := func(n *node) bool { return n != nil && (n.def != nil || n.defaultBelow()) }
	for _, p := range n.properties {
		if has(p) {
			return true
		}
	}
	return has(n.items) || has(n.additional)
}
