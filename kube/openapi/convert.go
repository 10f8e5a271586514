// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"net/url"
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	upstream "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/dovetail-ssa/dovetail/schema"
)

// convert converts definitions to types, by name. It leaves out aliases: definitions that
// are only a reference. If preserve is set, every struct accepts undeclared fields, as
// spec.preserveUnknownFields of a CRD requires.
//
// schemaconv converts the definitions, and overlay completes the result. nodes must have
// been read without errors.
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
			continue // one of the two types for data without a schema, see untyped
		}
		td := schema.TypeDef{Name: u.Name, Atom: fromUpstream(u.Atom)}
		o.definition(&td, n)
		types[td.Name] = td
	}
	return types, o.keyed, nil
}

// spec returns n as a schema of kube-openapi, with all parts that schemaconv reads.
func (n *node) spec() *spec.Schema {
	s := &spec.Schema{}
	s.Nullable = n.nullable
	s.Format = n.format
	if n.kind != "" {
		s.Type = spec.StringOrArray{n.kind}
	}
	if t := n.target(); t != "" {
		// The overlay replaces this with the name without escapes.
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
		// schemaconv does not support the strategy replace, which is the default for lists.
		add("x-kubernetes-patch-strategy", n.patchStrategy)
	}
	add("x-kubernetes-patch-merge-key", n.mergeKey)
}

// fromUpstream copies an atom, type by type. Scalars are shared, so the compiler treats
// equal inlined scalars as the same type.
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

// scalars has one shared value for each kind of scalar.
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

// overlay completes types from schemaconv with the parts that schemaconv omits. It walks a type
// and its node in parallel.
type overlay struct {
	nodes map[string]*node
	known *Catalog
	keyed []keyed
}

// keyed is an associative list with keys, and the node that declares it.
type keyed struct {
	list *schema.List
	node *node
}

func (o *overlay) definition(td *schema.TypeDef, n *node) {
	td.Default = n.effectiveDefault()
	td.Transition = n.rule()
	o.atom(&td.Atom, n)
}

func (o *overlay) atom(a *schema.Atom, n *node) {
	if a.Map != nil {
		o.fields(a.Map, n)
	}
	if a.List != nil {
		if n.items != nil {
			o.ref(&a.List.ElementType, n.items)
			a.List.ElementDefault = n.items.effectiveDefault()
		}
		if len(a.List.Keys) > 0 {
			o.keyed = append(o.keyed, keyed{a.List, n})
		}
	}
	for _, b := range n.allOf {
		fill(a, b)
	}
}

func (o *overlay) fields(m *schema.Map, n *node) {
	for i := range m.Fields {
		f := &m.Fields[i]
		p, ok := n.properties[f.Name]
		if !ok {
			continue
		}
		f.Default = p.effectiveDefault()
		o.ref(&f.Type, p)
	}
	sortFields(m.Fields)
	if n.additional != nil {
		o.ref(&m.ElementType, n.additional)
		m.ElementDefault = n.additional.effectiveDefault()
	}
	m.Required = require(nil, n.required)
	for _, u := range n.unions {
		m.Unions = append(m.Unions, u.schema())
	}
}

func sortFields(fields []schema.StructField) {
	slices.SortFunc(fields, func(a, b schema.StructField) int { return strings.Compare(a.Name, b.Name) })
}

func (o *overlay) ref(tr *schema.TypeRef, n *node) {
	tr.Nullable = n.nullable
	tr.Transition = n.rule()
	name := n.target()
	if name == "" && n.quantity {
		// This type allows the same values, and marks the field as a quantity.
		name, tr.Inlined = schema.QuantityType, schema.Atom{}
	}
	if name == "" {
		o.atom(&tr.Inlined, n)
		return
	}
	tr.NamedType = &name
	tr.Nullable = n.nullable || o.nullable(name)
	if n.metadataSchema != nil {
		*tr = o.known.withDefaults(*tr, n.metadataSchema)
	}
}

// nullable reports whether a definition is nullable, or an alias of a nullable definition.
func (o *overlay) nullable(name string) bool {
	for range len(o.nodes) + 1 {
		n, ok := o.nodes[name]
		if !ok {
			return o.known.nullable(name)
		}
		if n.nullable {
			return true
		}
		name = n.target()
	}
	return false
}

// fill adds the parts of an allOf branch that the type a does not have itself.
func fill(a *schema.Atom, b *node) {
	if a.Map != nil {
		a.Map.Required = require(a.Map.Required, b.required)
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			p, ok := b.properties[f.Name]
			if !ok {
				continue
			}
			if f.Default == nil {
				f.Default = p.effectiveDefault()
			}
			if f.Type.NamedType == nil {
				fill(&f.Type.Inlined, p)
			}
		}
		if b.additional != nil {
			if a.Map.ElementDefault == nil {
				a.Map.ElementDefault = b.additional.effectiveDefault()
			}
			if a.Map.ElementType.NamedType == nil {
				fill(&a.Map.ElementType.Inlined, b.additional)
			}
		}
	}
	if a.List != nil && b.items != nil {
		if a.List.ElementDefault == nil {
			a.List.ElementDefault = b.items.effectiveDefault()
		}
		if a.List.ElementType.NamedType == nil {
			fill(&a.List.ElementType.Inlined, b.items)
		}
	}
	for _, below := range b.allOf {
		fill(a, below)
	}
}

// require merges names into a sorted list without duplicates.
func require(to, names []string) []string {
	if len(names) == 0 {
		return to
	}
	all := slices.Concat(to, names)
	slices.Sort(all)
	return slices.Compact(all)
}

func (u union) schema() schema.Union {
	var out schema.Union
	if u.discriminator != "" {
		out.Discriminator = &u.discriminator
	}
	for i, name := range u.fields {
		out.Fields = append(out.Fields, schema.UnionField{FieldName: name, DiscriminatorValue: u.values[i]})
	}
	return out
}

// unknownFields records in a type of a CRD which undeclared fields are pruned. n is the
// node that the type came from.
//
// schemaconv does not provide this: it allows unknown fields in objects without
// properties, and everywhere below x-kubernetes-preserve-unknown-fields. The API server,
// in contrast, drops every field that neither properties nor additionalProperties cover,
// except directly at the extension. preserved is true for items of a list that has the
// extension.
func unknownFields(a *schema.Atom, n *node, preserved bool) {
	preserved = preserved || n.preserve
	if a.Map != nil {
		unknownFieldsOf(a.Map, n, preserved)
	}
	if a.List != nil && n.items != nil {
		unknownFields(&a.List.ElementType.Inlined, n.items, preserved)
	}
}

func unknownFieldsOf(m *schema.Map, n *node, preserved bool) {
	for i := range m.Fields {
		f := &m.Fields[i]
		if p, ok := n.properties[f.Name]; ok && p.target() == "" {
			unknownFields(&f.Type.Inlined, p, false)
		}
	}
	allowed := m.ElementType != (schema.TypeRef{})
	switch {
	case n.open && n.additional == nil:
		// Any value is allowed, and it has no schema.
		m.UnknownFields = schema.ShallowUnknown
	case n.additional != nil:
		unknownFields(&m.ElementType.Inlined, n.additional, false)
	case preserved && (!allowed || n.kind == ""):
		// Under this policy, a value of any type can be null only if it is nullable.
		m.UnknownFields = schema.PreserveUnknown
	case !preserved && allowed:
		m.UnknownFields = schema.PruneUnknown
	}
}
