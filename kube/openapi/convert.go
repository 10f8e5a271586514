// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// convert converts definitions to types. It omits aliases, which are definitions that only refer to
// another definition. If preserve is true, every object accepts undeclared fields, as with
// spec.preserveUnknownFields in a CRD. The definitions must be free of errors.
//
// Apart from the information that overlay adds, the types equal those of schemaconv, the API server's
// converter. A test compares them. convert also returns all lists with keys.
func convert(nodes map[string]*node, known *Catalog, preserve bool) (map[string]schema.TypeDef, []keyed) {
	o := overlay{nodes: nodes, known: known}
	types := make(map[string]schema.TypeDef, len(nodes))
	for name, n := range nodes {
		if n.target() != "" {
			continue
		}
		td := schema.TypeDef{Name: name}
		switch name {
		case quantityDefinition:
			td.Atom.Scalar = scalar(schema.Untyped)
		case rawExtensionDefinition:
			td.Atom = copyAtom(untyped[untypedAtomic].Atom)
		default:
			td.Atom = n.atom(preserve)
		}
		o.definition(&td, n)
		types[name] = td
	}
	return types, o.keyed
}

// The types of these definitions are fixed, because their schemas do not describe how values merge.
const (
	quantityDefinition     = "io.k8s.apimachinery.pkg.api.resource.Quantity"
	rawExtensionDefinition = "io.k8s.apimachinery.pkg.runtime.RawExtension"
)

// atom returns the type for the schema n. A schema without a type allows any value. preserve is
// true inside a schema with x-kubernetes-preserve-unknown-fields.
func (n *node) atom(preserve bool) schema.Atom {
	preserve = preserve || n.preserve
	switch n.kind {
	case "object":
		return schema.Atom{Map: n.mapping(preserve)}
	case "array":
		return schema.Atom{List: n.list(preserve)}
	case "":
		return schema.Atom{Scalar: scalar(schema.Untyped), List: n.list(preserve), Map: n.mapping(preserve)}
	case "boolean":
		return schema.Atom{Scalar: scalar(schema.Boolean)}
	case "integer", "number":
		return schema.Atom{Scalar: scalar(schema.Numeric)}
	}
	if n.format == "" || n.format == "byte" {
		return schema.Atom{Scalar: scalar(schema.String)}
	}
	return schema.Atom{Scalar: scalar(schema.Untyped)} // for int-or-string and for unknown types
}

func (n *node) mapping(preserve bool) *schema.Map {
	m := &schema.Map{ElementRelationship: n.mapRelation()}
	for _, name := range n.names() {
		m.Fields = append(m.Fields, schema.StructField{Name: name, Type: n.properties[name].typeRef(preserve)})
	}
	switch {
	case n.additional != nil:
		m.ElementType = n.additional.typeRef(preserve)
	case n.closed:
	case n.open, preserve, len(n.properties) == 0:
		m.ElementType = named(untypedDeduced)
	}
	return m
}

func (n *node) list(preserve bool) *schema.List {
	l := &schema.List{ElementRelationship: schema.Atomic, ElementType: named(untypedAtomic)}
	if n.items != nil {
		l.ElementType = n.items.typeRef(preserve)
	}
	switch {
	case n.listType == "map":
		l.ElementRelationship, l.Keys = schema.Associative, n.keys
	case n.listType == "set":
		l.ElementRelationship = schema.Associative
	case n.patchStrategy == "merge" || n.patchStrategy == "merge,retainKeys":
		l.ElementRelationship = schema.Associative
		if n.mergeKey != "" {
			l.Keys = []string{n.mergeKey}
		}
	}
	return l
}

// mapRelation returns the element relationship of a map, or "" if the schema does not set
// one.
func (n *node) mapRelation() schema.ElementRelationship {
	switch n.mapType {
	case "atomic":
		return schema.Atomic
	case "granular":
		return schema.Separable
	}
	return ""
}

// typeRef returns a reference to the definition that n refers to. If n refers to no
// definition, the reference contains the type of n inline.
func (n *node) typeRef(preserve bool) schema.TypeRef {
	name := n.target()
	if name == "" {
		return schema.TypeRef{Inlined: n.atom(preserve), Nullable: n.nullable}
	}
	tr := named(name)
	tr.Nullable = n.nullable
	if r := n.mapRelation(); r != "" {
		tr.ElementRelationship = &r
	}
	return tr
}

func named(name string) schema.TypeRef { return schema.TypeRef{NamedType: &name} }

// scalars maps each scalar to one shared pointer, because schemas hold pointers to
// scalars.
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

// overlay adds information that schemaconv omits to types, such as defaults and required fields. It
// walks through a type together with the schema from which the type was made.
type overlay struct {
	nodes map[string]*node
	known *Catalog
	keyed []keyed
}

// keyed is a list with keys, and the schema that declares it.
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
		// Use the named type for quantities. It allows the same values as this schema, and it also
		// marks the field as a quantity.
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

// fill adds the required fields and defaults of a schema inside allOf to the type of the whole schema.
// Defaults that the type already has take precedence.
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

// require adds names to a sorted list. The result is sorted and has no duplicates.
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

// unknownFields completes a type and all types inside it. It records whether the API server keeps or
// drops fields that a CRD does not declare. n is the schema of the type. preserved is true for the
// items of a list with x-kubernetes-preserve-unknown-fields.
//
// The types of schemaconv lack this information. They allow undeclared fields in objects without
// properties, and everywhere inside x-kubernetes-preserve-unknown-fields. The API server, in contrast,
// keeps an undeclared field only if the schema of the object itself has this extension.
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
		// Any value is allowed here, and there is no schema for it.
		m.UnknownFields = schema.ShallowUnknown
	case n.additional != nil:
		unknownFields(&m.ElementType.Inlined, n.additional, false)
	case preserved && (!allowed || n.kind == ""):
		// In a schema that allows values of any type, PreserveUnknown also restricts nulls: a null
		// is allowed only if the schema is nullable.
		m.UnknownFields = schema.PreserveUnknown
	case !preserved && allowed:
		m.UnknownFields = schema.PruneUnknown
	}
}
