// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "sync"

// Lenient returns a schema like s that also allows undeclared fields. It also returns a reference
// to the type in the new schema that corresponds to ref. The types of undeclared fields are deduced
// from their values: maps are merged field by field, and lists are atomic. Declared fields are
// merged as in s. Pruning with the new schema keeps the undeclared fields that s does not allow.
// Lenient does not change s.
//
// Use Lenient for objects from a server with a newer schema. All calls for one schema return the
// same lenient schema, which s caches. Lenient is safe for concurrent use.
func (s *Schema) Lenient(ref TypeRef) (*Schema, TypeRef) {
	o := s.computed().opener(s)
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.schema, o.ref(ref)
}

// opener creates the lenient types of a schema, which allow undeclared fields.
type opener struct {
	schema *Schema
	mu     sync.Mutex // held while lenient types are created for inlined types
	maps   map[*Map]*Map
	lists  map[*List]*List
}

// opener returns the opener that makes the types of s lenient. st is the state of s. Schemas with different
// policies can share a state, but each needs its own opener.
func (st *state) opener(s *Schema) *opener {
	at := &st.lenient[s.ownPolicies()]
	if o := at.Load(); o != nil {
		return o
	}
	o := &opener{maps: map[*Map]*Map{}, lists: map[*List]*List{}}
	open := make([]TypeDef, 0, len(st.types)+2)
	known := false
	for _, td := range st.types {
		if td.Name == untypedAtomic || td.Name == untypedDeduced {
			known = known || td.Name == untypedDeduced
		} else {
			td.Atom = o.atom(td.Atom)
		}
		open = append(open, td)
	}
	if !known {
		open = append(open, anything(untypedAtomic, Atomic), anything(untypedDeduced, Separable))
	}
	o.schema = s.withTypes(open)
	at.CompareAndSwap(nil, o)
	return at.Load()
}

// anything returns a type that allows all values. Its lists are atomic, and its maps have the given
// relationship.
func anything(name string, maps ElementRelationship) TypeDef {
	return TypeDef{Name: name, Atom: Atom{
		Scalar: pointerTo(Untyped),
		List:   &List{ElementType: TypeRef{NamedType: pointerTo(untypedAtomic)}, ElementRelationship: Atomic},
		Map:    &Map{ElementType: TypeRef{NamedType: pointerTo(name)}, ElementRelationship: maps},
	}}
}

func (o *opener) atom(a Atom) Atom {
	if a.List != nil {
		a.List = o.list(a.List)
	}
	if a.Map != nil {
		a.Map = o.mapping(a.Map)
	}
	return a
}

func (o *opener) ref(tr TypeRef) TypeRef {
	if tr.NamedType == nil {
		tr.Inlined = o.atom(tr.Inlined)
	}
	return tr
}

func (o *opener) list(l *List) *List {
	if opened, ok := o.lists[l]; ok {
		return opened
	}
	opened := *l
	o.lists[l] = &opened
	opened.ElementType = o.ref(l.ElementType)
	return &opened
}

func (o *opener) mapping(m *Map) *Map {
	if opened, ok := o.maps[m]; ok {
		return opened
	}
	opened := &Map{}
	m.CopyInto(opened)
	o.maps[m] = opened
	// Fields must not be nil, even without fields: a map whose Fields are nil would have the deduced type.
	opened.Fields = append(make([]StructField, 0, len(m.Fields)), m.Fields...)
	for i := range opened.Fields {
		opened.Fields[i].Type = o.ref(opened.Fields[i].Type)
	}
	if m.ElementType != (TypeRef{}) {
		opened.ElementType = o.ref(m.ElementType)
		return opened
	}
	opened.ElementType = TypeRef{NamedType: pointerTo(untypedDeduced)}
	opened.UnknownFields = PreserveUnknown
	return opened
}
