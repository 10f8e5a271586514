// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"
	"strconv"
)

// PinKeys returns a schema, and the reference to its type, that is ref of s but
// for the defaults of list-map keys: these are those of oldRef of old, wherever
// both have a list with the same keys. A key without a default there has none.
//
// Managed fields name list items by keys that may have come from a default, for
// as long as the object lives. An API version whose keys stay pinned to what they
// were goes on naming the items that it always named, whatever the default is in
// versions to come. s and old are not changed, and the result shares with s.
func (s *Schema) PinKeys(ref TypeRef, old *Schema, oldRef TypeRef) (*Schema, TypeRef) {
	p := pinner{now: s, old: old, made: map[pinnedType]string{}, keyed: map[string]bool{}}
	p.types = slices.Clone(s.types())
	p.findKeyed()
	root := p.ref(ref, oldRef, nil)
	return &Schema{
		Types:               p.types,
		DeclarativeDefaults: s.DeclarativeDefaults,
		MissingKeys:         s.MissingKeys,
		ZeroKeysUnset:       s.ZeroKeysUnset,
	}, root
}

type pinner struct {
	now, old *Schema
	types    []TypeDef
	// made are the names of the types that were made for a pair of named types.
	made map[pinnedType]string
	// keyed are the named types from which a list with keys can be reached. The
	// others stay as they are.
	keyed map[string]bool
}

// pinnedType is a named type with the one whose key defaults it takes. keys is
// set for the items of a list.
type pinnedType struct{ now, old, keys string }

// findKeyed carries what it finds against the direction of references, until
// nothing is new.
func (p *pinner) findKeyed() {
	users := map[string][]string{}
	var queue []string
	mark := func(name string) {
		if !p.keyed[name] {
			p.keyed[name] = true
			queue = append(queue, name)
		}
	}
	for i := range p.types {
		td := &p.types[i]
		eachPart(td.Atom, func(a Atom, name string) {
			if name != "" {
				users[name] = append(users[name], td.Name)
			} else if a.List != nil && len(a.List.Keys) > 0 {
				mark(td.Name)
			}
		})
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, user := range users[name] {
			mark(user)
		}
	}
}

// eachPart calls f for an atom and all that are inlined in it, and with the
// names of the types that are referred to.
func eachPart(a Atom, f func(a Atom, name string)) {
	f(a, "")
	ref := func(tr TypeRef) {
		if tr.NamedType != nil {
			f(Atom{}, *tr.NamedType)
		} else {
			eachPart(tr.Inlined, f)
		}
	}
	if a.List != nil {
		ref(a.List.ElementType)
	}
	if a.Map != nil {
		ref(a.Map.ElementType)
		for i := range a.Map.Fields {
			ref(a.Map.Fields[i].Type)
		}
	}
}

// ref pins the type that now refers to; keys are the fields that take the
// defaults they have in old.
func (p *pinner) ref(now, old TypeRef, keys []string) TypeRef {
	was, ok := p.old.Resolve(old)
	if !ok {
		return now
	}
	if now.NamedType == nil {
		now.Inlined = p.atom(now.Inlined, was, keys)
		return now
	}
	td, ok := p.now.FindNamedType(*now.NamedType)
	if !ok || !p.keyed[td.Name] && keys == nil {
		return now
	}
	pair := pinnedType{now: td.Name}
	if old.NamedType != nil {
		pair.old = *old.NamedType
	}
	for _, k := range keys {
		pair.keys += strconv.Quote(k)
	}
	name, done := p.made[pair]
	if !done || old.NamedType == nil {
		name = td.Name + " (keys pinned " + strconv.Itoa(len(p.types)) + ")"
		p.made[pair] = name
		at := len(p.types)
		p.types = append(p.types, TypeDef{Name: name, Default: td.Default, Transition: td.Transition})
		atom := p.atom(td.Atom, was, keys) // which may move p.types
		p.types[at].Atom = atom
	}
	now.NamedType = &name
	return now
}

func (p *pinner) atom(now, old Atom, keys []string) Atom {
	if now.Map != nil && old.Map != nil {
		m := &Map{}
		now.Map.CopyInto(m)
		m.Fields = slices.Clone(m.Fields)
		for i := range m.Fields {
			f := &m.Fields[i]
			if was, ok := old.Map.FindField(f.Name); ok {
				f.Type = p.ref(f.Type, was.Type, nil)
				if slices.Contains(keys, f.Name) {
					f.Default = was.Default
				}
			}
		}
		m.ElementType = p.element(m.ElementType, old.Map.ElementType, nil)
		now.Map = m
	}
	if now.List != nil && old.List != nil {
		l := *now.List
		var keys []string
		if sameKeys(l.Keys, old.List.Keys) {
			keys = l.Keys
		}
		l.ElementType = p.element(l.ElementType, old.List.ElementType, keys)
		now.List = &l
	}
	return now
}

func (p *pinner) element(now, old TypeRef, keys []string) TypeRef {
	if now == (TypeRef{}) || old == (TypeRef{}) {
		return now
	}
	return p.ref(now, old, keys)
}

func sameKeys(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
