// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"net/url"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	upstream "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/dovetail-ssa/dovetail/schema"
)

// convert turns definitions into types, by name. Aliases, definitions that are
// nothing but a reference, are left out. preserve makes every struct accept
// undeclared fields, as a CRD's spec.preserveUnknownFields does.
//
// The result is what schemaconv makes of the definitions, completed by
// overlay. nodes must have been read without errors.
func convert(nodes map[string]*node, known *Catalog, preserve bool) (map[string]schema.TypeDef, []keyed, error) {
	models := make(map[string]*spec.Schema, len(nodes))
	for name, n := range nodes {
		if n.target() == "" {
			models[name] = n.spec()
		}
	}
	converted, err := schemaconv.ToSchemaFromOpenAPI(models, preserve)
	if err != nil {
		return nil, nil, err
	}
	o := overlay{nodes: nodes, known: known}
	types := make(map[string]schema.TypeDef, len(models))
	for i := range converted.Types {
		u := &converted.Types[i]
		n, ok := nodes[u.Name]
		if !ok {
			continue // the two types for data without schema, see untyped
		}
		td := schema.TypeDef{Name: u.Name, Atom: fromUpstream(u.Atom)}
		o.definition(&td, n)
		types[td.Name] = td
	}
	return types, o.keyed, nil
}

// spec returns n in kube-openapi's form, with all that schemaconv reads.
func (n *node) spec() *spec.Schema {
	s := &spec.Schema{}
	s.Nullable = n.nullable
	s.Format = n.format
	if n.kind != "" {
		s.Type = spec.StringOrArray{n.kind}
	}
	if t := n.target(); t != "" {
		// The overlay puts the name without escapes.
		s.Ref = spec.MustCreateRef("#/components/schemas/" + url.PathEscape(t))
	}
	if n.properties != nil {
		s.Properties = make(map[string]spec.Schema, len(n.properties))
		for name, p := range n.properties {
			s.Properties[name] = *p.spec()
		}
	}
	switch {
	case n.additional != nil:
		s.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: n.additional.spec()}
	case n.open || n.closed:
		s.AdditionalProperties = &spec.SchemaOrBool{Allows: n.open}
	}
	if n.items != nil {
		s.Items = &spec.SchemaOrArray{Schema: n.items.spec()}
	}
	n.extend(s)
	return s
}

func (n *node) extend(s *spec.Schema) {
	add := func(name, value string) {
		if value != "" {
			s.AddExtension(name, value)
		}
	}
	if n.preserve {
		s.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	}
	add("x-kubernetes-list-type", n.listType)
	add("x-kubernetes-map-type", n.mapType)
	if len(n.keys) > 0 {
		s.AddExtension("x-kubernetes-list-map-keys", n.keys)
	}
	if n.patchStrategy != "replace" {
		// schemaconv knows no such strategy; a list without one is replaced.
		add("x-kubernetes-patch-strategy", n.patchStrategy)
	}
	add("x-kubernetes-patch-merge-key", n.mergeKey)
}

// fromUpstream copies an atom, type by type. Scalars are shared, so that equal
// inlined scalars are one type to the compiler.
func fromUpstream(a upstream.Atom) schema.Atom {
	var out schema.Atom
	if a.Scalar != nil {
		out.Scalar = scalar(schema.Scalar(*a.Scalar))
	}
	if a.List != nil {
		out.List = &schema.List{
			ElementType:         refFromUpstream(a.List.ElementType),
			ElementRelationship: schema.ElementRelationship(a.List.ElementRelationship),
			Keys:                a.List.Keys,
		}
	}
	if a.Map != nil {
		out.Map = &schema.Map{
			ElementType:         refFromUpstream(a.Map.ElementType),
			ElementRelationship: schema.ElementRelationship(a.Map.ElementRelationship),
		}
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			out.Map.Fields = append(out.Map.Fields, schema.StructField{
				Name: f.Name, Type: refFromUpstream(f.Type), Default: f.Default,
			})
		}
	}
	return out
}

func refFromUpstream(r upstream.TypeRef) schema.TypeRef {
	out := schema.TypeRef{Inlined: fromUpstream(r.Inlined), Nullable: r.Nullable}
	if r.NamedType != nil {
		name := *r.NamedType
		out.NamedType = &name
	}
	if r.ElementRelationship != nil {
		rel := schema.ElementRelationship(*r.ElementRelationship)
		out.ElementRelationship = &rel
	}
	return out
}

// scalars are the scalar kinds, one value for each.
var scalars = map[schema.Scalar]*schema.Scalar{
	schema.Numeric: ptr(schema.Numeric),
	schema.String:  ptr(schema.String),
	schema.Boolean: ptr(schema.Boolean),
	schema.Untyped: ptr(schema.Untyped),
}

func scalar(s schema.Scalar) *schema.Scalar {
	if p, ok := scalars[s]; ok {
		return p
	}
	return &s
}

func ptr[T any](v T) *T { return &v }
