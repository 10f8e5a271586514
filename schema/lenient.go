// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "sync"

// Lenient returns a schema, and the reference to its type, that is ref of s but for
// the fields that s does not declare: they are of deduced type, whose maps are
// merged field by field and whose lists are atomic, and pruning keeps them. What s
// declares has the types it has in s. s is not changed.
//
// It is for objects that come from where the schema is newer. Each call for one
// schema returns the same one, which s keeps. Safe for concurrent use.
func (s *Schema) Lenient(ref TypeRef) (*Schema, TypeRef) {
	o := s.computed().opener(s)
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.schema, o.ref(ref)
}

// opener makes the lenient types of a schema.
type opener struct {
	schema *Schema
	mu     sync.Mutex // held while inlined types are opened
	maps   map[*Map]*Map
	lists  map[*List]*List
}

// opener returns that of s, a schema whose state st is. Schemas that share a state may
// have policies of their own.
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

// anything is a type that allows all there is, whose maps are of that relation.
func anything(name string, maps ElementRelationship) TypeDef {
	return TypeDef{Name: name, Atom: Atom{
		Scalar: of(Untyped),
		List:   &List{ElementType: TypeRef{NamedType: of(untypedAtomic)}, ElementRelationship: Atomic},
		Map:    &Map{ElementType: TypeRef{NamedType: of(name)}, ElementRelationship: maps},
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
	// Never nil: a map without fields is not one of deduced type.
	opened.Fields = append(make([]StructField, 0, len(m.Fields)), m.Fields...)
	for i := range opened.Fields {
		opened.Fields[i].Type = o.ref(opened.Fields[i].Type)
	}
	if m.ElementType != (TypeRef{}) {
		opened.ElementType = o.ref(m.ElementType)
		return opened
	}
	opened.ElementType = TypeRef{NamedType: of(untypedDeduced)}
	opened.UnknownFields = PreserveUnknown
	return opened
}
