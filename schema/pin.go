// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"slices"
)

// PinKeys returns a copy of s in which list keys have their defaults from an older schema, old. It
// also returns a reference to the type in the copy that corresponds to ref. To find the old keys,
// PinKeys compares the type ref in s with the type oldRef in old. If both types have a list with
// the same keys at the same path, the keys of that list get their defaults from old. A key without
// a default in old has no default in the copy.
//
// Managed fields identify list items by their keys for the whole lifetime of an object. Some of
// these keys come from defaults. If the keys of an API version are pinned, managed fields in this
// version continue to identify the same items when the defaults change later. PinKeys does not
// change s or old. The result shares types with s.
func (s *Schema) PinKeys(ref TypeRef, old *Schema, oldRef TypeRef) (*Schema, TypeRef) {
	p := pinner{now: s, old: old, made: map[pinnedPart]string{}, maps: map[pinnedPart]*Map{}, lists: map[pinnedPart]*List{}, keyed: map[string]bool{}}
	p.types = slices.Clone(s.types())
	p.findKeyed()
	root := p.ref(ref, oldRef, nil)
	return s.withTypes(p.types), root
}

type pinner struct {
	now, old *Schema
	types    []TypeDef
	// made contains the names of the new types. The map key is the pair of named types, one from each
	// schema, from which the new type was made.
	made map[pinnedPart]string
	// maps and lists have the new maps and lists of the types visited so far, because inlined
	// types in Go literals can be cyclic.
	maps  map[pinnedPart]*Map
	lists map[pinnedPart]*List
	// keyed contains the named types from which a list with keys is reachable. All other types
	// stay unchanged.
	keyed map[string]bool
}

// pinnedPart identifies a map, a list or a type name in the new schema, together with its
// counterpart in the old schema. For the type of list items, keys lists the keys that get their old
// defaults.
type pinnedPart struct {
	now, old any
	keys     string
}

// findKeyed fills in p.keyed.
func (p *pinner) findKeyed() {
	users := map[string][]string{}
	var queue []string
	for _, td := range p.types {
		all := places{seen: map[any]bool{}}
		all.ref = func(_ string, tr TypeRef) {
			if tr.NamedType != nil {
				users[*tr.NamedType] = append(users[*tr.NamedType], td.Name)
			}
		}
		all.list = func(_ string, l *List) {
			if len(l.Keys) > 0 {
				p.keyed[td.Name] = true
				queue = append(queue, td.Name)
			}
		}
		all.atom("", td.Atom)
	}
	spread(queue, users, func(name string) bool {
		had := p.keyed[name]
		p.keyed[name] = true
		return !had
	})
}

// spread sets a property on all types that use a type in queue, directly or indirectly. The argument
// users maps each type to the types that use it. The function add sets the property on a type, and
// returns false if the type already had the property.
func spread(queue []string, users map[string][]string, add func(string) bool) {
	for len(queue) > 0 {
		one := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, user := range users[one] {
			if add(user) {
				queue = append(queue, user)
			}
		}
	}
}

// ref returns a pinned form of a type reference: list keys in the type get the defaults that they
// have in the corresponding old type. If the type is a map, the fields named in keys also get their
// old defaults.
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
	pair := pinnedPart{now: td.Name, keys: fmt.Sprintf("%q", keys)}
	if old.NamedType != nil {
		pair.old = *old.NamedType
	}
	name, done := p.made[pair]
	if !done || old.NamedType == nil {
		name = fmt.Sprintf("%s (keys pinned %d)", td.Name, len(p.types))
		p.made[pair] = name
		at := len(p.types)
		p.types = append(p.types, TypeDef{Name: name, Default: td.Default, Transition: td.Transition})
		atom := p.atom(td.Atom, was, keys) // called before p.types is indexed, because it may reallocate p.types
		p.types[at].Atom = atom
	}
	now.NamedType = &name
	return now
}

func (p *pinner) atom(now, old Atom, keys []string) Atom {
	if now.Map != nil && old.Map != nil {
		now.Map = p.mapping(now.Map, old.Map, keys)
	}
	if now.List != nil && old.List != nil {
		now.List = p.list(now.List, old.List)
	}
	return now
}

func (p *pinner) mapping(now, old *Map, keys []string) *Map {
	at := pinnedPart{now, old, fmt.Sprintf("%q", keys)}
	if m, ok := p.maps[at]; ok {
		return m
	}
	m := &Map{}
	p.maps[at] = m
	now.CopyInto(m)
	m.Fields = slices.Clone(m.Fields)
	for i := range m.Fields {
		f := &m.Fields[i]
		if was, ok := old.FindField(f.Name); ok {
			f.Type = p.ref(f.Type, was.Type, nil)
			if slices.Contains(keys, f.Name) {
				if f.Default = p.old.nearestDefault(was.Default, was.Type); f.Default == nil && p.now.nearestDefault(nil, f.Type) != nil {
					// Inline the type, because a reference by name would also apply the default
					// of the named type.
					atom, _ := p.now.Resolve(f.Type)
					f.Type = TypeRef{Inlined: atom, Nullable: f.Type.Nullable, Transition: f.Type.Transition}
				}
			}
		}
	}
	m.ElementType = p.element(m.ElementType, old.ElementType, nil)
	return m
}

func (p *pinner) list(now, old *List) *List {
	at := pinnedPart{now: now, old: old}
	if l, ok := p.lists[at]; ok {
		return l
	}
	l := *now
	p.lists[at] = &l
	var keys []string
	if slices.Equal(slices.Sorted(slices.Values(now.Keys)), slices.Sorted(slices.Values(old.Keys))) {
		keys = now.Keys
	}
	l.ElementType = p.element(now.ElementType, old.ElementType, keys)
	return &l
}

func (p *pinner) element(now, old TypeRef, keys []string) TypeRef {
	if now == (TypeRef{}) || old == (TypeRef{}) {
		return now
	}
	return p.ref(now, old, keys)
}
