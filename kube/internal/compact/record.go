// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package compact

import "github.com/dovetail-ssa/dovetail/schema"

// All decoded types point to these variables. The schema compiler compares pointers, so it notices
// that inlined scalars are equal.
var (
	scalarValues   = append([]schema.Scalar(nil), scalars...)
	relationValues = append([]schema.ElementRelationship(nil), relations...)
)

func (r *reader) atom() schema.Atom {
	head := r.number()
	var a schema.Atom
	if i := head & (1<<scalarBits - 1); i > 0 {
		a.Scalar = &scalarValues[i]
	}
	if head&hasList != 0 {
		a.List = r.list()
	}
	if head&hasMap != 0 {
		a.Map = r.mapping()
	}
	return a
}

func (r *reader) list() *schema.List {
	l := &schema.List{ElementRelationship: relations[r.number()]}
	if n := r.number(); n > 0 {
		l.Keys = make([]string, n)
		for i := range l.Keys {
			l.Keys[i] = r.text()
		}
	}
	l.ElementDefault = r.value()
	l.ElementType = r.ref()
	return l
}

func (r *reader) mapping() *schema.Map {
	m := &schema.Map{ElementRelationship: relations[r.number()]}
	m.ElementType = r.ref()
	m.ElementDefault = r.value()
	m.Unions = r.unions()
	if n := r.number(); n > 0 {
		m.Fields = make([]schema.StructField, n)
	}
	for i := range m.Fields {
		f := &m.Fields[i]
		f.Name = r.text()
		value := r.number()
		if value&1 != 0 {
			m.Required = append(m.Required, f.Name)
		}
		f.Default = r.index.value(value >> 1)
		f.Type = r.ref()
	}
	return m
}

func (r *reader) unions() []schema.Union {
	var unions []schema.Union
	for range r.number() {
		var u schema.Union
		if name := r.text(); name != "" {
			u.Discriminator = &name
		}
		for range r.number() {
			u.Fields = append(u.Fields, schema.UnionField{FieldName: r.text(), DiscriminatorValue: r.text()})
		}
		unions = append(unions, u)
	}
	return unions
}

func (r *reader) ref() schema.TypeRef {
	head := r.number()
	ref := schema.TypeRef{Nullable: head&isNullable != 0}
	if head&hasRelation != 0 {
		ref.ElementRelationship = &relationValues[r.number()]
	}
	if n := head >> refBits; n > 0 {
		ref.NamedType = &r.index.names[n-1]
	} else {
		ref.Inlined = r.atom()
	}
	return ref
}
