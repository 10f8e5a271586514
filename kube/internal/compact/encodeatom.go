// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package compact

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/schema"
)

// An encoded atom starts with a number: the scalar in the low bits, then two flags.
const (
	scalarBits = 3
	hasList    = 1 << scalarBits
	hasMap     = 2 << scalarBits
)

// An encoded reference starts with a number. The low bits are these flags. The other bits are 0 for an
// inlined type, and otherwise one more than the index of the named type.
const (
	isNullable = 1 << iota
	hasRelation
	refBits = 2
)

var scalars = []schema.Scalar{"", schema.Numeric, schema.String, schema.Boolean, schema.Untyped}

var relations = []schema.ElementRelationship{"", schema.Atomic, schema.Associative, schema.Separable}

func (e *encoder) atom(a schema.Atom) {
	head := 0
	if a.Scalar != nil {
		i := slices.Index(scalars, *a.Scalar)
		if i < 1 {
			e.err = fmt.Errorf("scalar %q", *a.Scalar)
			return
		}
		head = i
	}
	if a.List != nil {
		head |= hasList
	}
	if a.Map != nil {
		head |= hasMap
	}
	e.number(head)
	if a.List != nil {
		e.list(a.List)
	}
	if a.Map != nil {
		e.mapping(a.Map)
	}
}

func (e *encoder) relation(r schema.ElementRelationship) {
	i := slices.Index(relations, r)
	if i < 0 {
		e.err = fmt.Errorf("element relationship %q", r)
		return
	}
	e.number(i)
}

// transition reports an error if a schema has a transition rule. The format does not support such
// rules, because built-in types have none.
func (e *encoder) transition(t schema.Transition) {
	if t != schema.NoTransition {
		e.err = fmt.Errorf("transition %q", t)
	}
}

func (e *encoder) list(l *schema.List) {
	e.relation(l.ElementRelationship)
	e.number(len(l.Keys))
	for _, k := range l.Keys {
		e.text(k)
	}
	e.value(l.ElementDefault)
	e.ref(l.ElementType)
}

func (e *encoder) mapping(m *schema.Map) {
	if m.UnknownFields != "" {
		e.err = fmt.Errorf("unknown field policy %q", m.UnknownFields)
		return
	}
	e.relation(m.ElementRelationship)
	e.ref(m.ElementType)
	e.value(m.ElementDefault)
	e.unions(m.Unions)
	e.number(len(m.Fields))
	found := 0
	for i := range m.Fields {
		f := &m.Fields[i]
		e.text(f.Name)
		value := e.valueNumber(f.Default) << 1
		if slices.Contains(m.Required, f.Name) {
			value |= 1
			found++
		}
		e.number(value)
		e.ref(f.Type)
	}
	if found != len(m.Required) {
		e.err = fmt.Errorf("some of the required fields %q are not declared", m.Required)
	}
}

func (e *encoder) unions(unions []schema.Union) {
	e.number(len(unions))
	for _, u := range unions {
		if u.DeduceInvalidDiscriminator {
			e.err = fmt.Errorf("the format does not support unions that deduce their discriminator")
			return
		}
		// An empty name means that the union has no discriminator.
		name := ""
		if u.Discriminator != nil {
			name = *u.Discriminator
		}
		e.text(name)
		e.number(len(u.Fields))
		for _, f := range u.Fields {
			e.text(f.FieldName)
			e.text(f.DiscriminatorValue)
		}
	}
}

func (e *encoder) ref(r schema.TypeRef) {
	e.transition(r.Transition)
	head := 0
	if r.NamedType != nil {
		i, ok := e.types[*r.NamedType]
		if !ok {
			e.err = fmt.Errorf("type %q does not exist", *r.NamedType)
			return
		}
		head = (i + 1) << refBits
	}
	if r.Nullable {
		head |= isNullable
	}
	if r.ElementRelationship != nil {
		head |= hasRelation
	}
	e.number(head)
	if r.ElementRelationship != nil {
		e.relation(*r.ElementRelationship)
	}
	if r.NamedType == nil {
		e.atom(r.Inlined)
	}
}
