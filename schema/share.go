// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/internal/intern"
)

// sharedTypes has weak pointers to the maps, lists and names that schemas share if the process
// sets Policies.ShareTypes. Programs can reach them through Schema.Types, and must not change
// them.
var sharedTypes struct {
	maps  intern.Table[Map]
	lists intern.Table[List]
	names intern.Table[string]
	// named contains the maps of named types, by type name. To find the shared form of a named
	// type, a schema first looks here.
	named intern.Table[Map]
	// use guards the field Types of all schemas. The write lock is needed to replace Types with
	// shared types. The read lock is needed to read Types before the first use of the schema.
	use sync.RWMutex
}

// shareTypes replaces the types of s with shared types if the process sets Policies.ShareTypes. The
// first use of a schema does this anyway, so call shareTypes only for a schema that may never be
// used.
func (s *Schema) shareTypes() {
	if !process.sharing.Load() {
		return
	}
	sharedTypes.use.RLock()
	unshared := s.unshared()
	sharedTypes.use.RUnlock()
	if !unshared {
		return
	}
	sharedTypes.use.Lock()
	defer sharedTypes.use.Unlock()
	s.share()
}

// unshared reports whether s has types that can be shared and are not shared yet. The caller
// must hold sharedTypes.use.
func (s *Schema) unshared() bool {
	n := len(s.Types)
	return n > 0 && n <= maxTypes && s.shared.Load() != &s.Types[0]
}

func (s *Schema) share() {
	if !s.unshared() {
		return
	}
	s.Types = share(s.Types)
	s.shared.Store(&s.Types[0])
}

const (
	// maxNesting limits how deeply inlined types are shared. Types that are nested deeper are not shared.
	maxNesting = 100
	// maxTypes is the maximum number of types in a schema whose types are shared. Larger schemas
	// describe a whole API. A program has few of them, and sharing their types would delay its
	// start.
	maxTypes = 256
	// maxParts is the maximum number of maps and lists that are visited in a schema. If
	// inlined types repeatedly contain the same type, a walk of the schema may visit
	// exponentially many maps and lists.
	maxParts = 1 << 16
)

// share returns types that are equal to the given types and have their fields sorted by name.
// It reuses equal maps and lists of other schemas. share does not change a type that is
// nested too deeply, is inlined into itself, or has unions.
//
// share walks each type twice. The first walk computes a hash for each map and list. The second
// walk looks for equal maps and lists of other schemas, and reuses them together with everything
// inside.
func share(types []TypeDef) []TypeDef {
	// Keep the capacity of types. A program that appends to Types expects the new slice to have
	// the same spare capacity.
	out := make([]TypeDef, len(types), cap(types))
	var s sharer
	for i, td := range types {
		td.Atom = s.named(td.Name, td.Atom)
		out[i] = td
	}
	return out
}

// named returns the shared form of a named type. Usually another schema has an equal type with the
// same name. So named first compares the type with the shared type of this name, because this
// comparison needs no hash.
func (s *sharer) named(name string, a Atom) Atom {
	only := a.Map != nil && a.List == nil && a.Scalar == nil
	var h intern.Hash
	if only {
		h.Text(name)
		if kept := sharedTypes.named.Find(h, a.Map.same); kept != nil {
			return Atom{Map: kept}
		}
	}
	s.next = len(s.parts)
	if _, ok := s.hashAtom(a, 0); !ok {
		return a
	}
	if a = s.atom(a); only && s.found {
		sharedTypes.named.Keep(a.Map, h, func(kept *Map) bool { return kept == a.Map })
	}
	return a
}

// sharer holds the maps and lists of a schema in the order in which the first walk visits them.
type sharer struct {
	parts []sharedPart
	// next is the index of the part that the second walk visits next.
	next int
	// found is true if the map that the second walk completed last was already shared.
	found bool
}

type sharedPart struct {
	// hash is the hash of the map or list. It does not depend on the order of fields.
	hash intern.Hash
	// end is the index of the next entry that is not inside this map or list.
	end int
}

// hashAtom and the other hash methods return false if the type cannot be shared.
func (s *sharer) hashAtom(a Atom, depth int) (h intern.Hash, ok bool) {
	if depth > maxNesting {
		return 0, false
	}
	if a.Scalar != nil {
		h.Text(string(*a.Scalar))
	}
	if a.List != nil {
		list, ok := s.hashList(a.List, depth)
		if !ok {
			return 0, false
		}
		h.Number(uint64(list))
	}
	if a.Map != nil {
		m, ok := s.hashMap(a.Map, depth)
		if !ok {
			return 0, false
		}
		h.Number(uint64(m))
	}
	return h, true
}

func (s *sharer) hashRef(tr TypeRef, depth int) (intern.Hash, bool) {
	h, ok := s.hashAtom(tr.Inlined, depth+1)
	if tr.NamedType != nil {
		h.Text(*tr.NamedType)
	}
	if tr.ElementRelationship != nil {
		h.Text(string(*tr.ElementRelationship))
	}
	h.Flag(tr.Nullable)
	h.Number(uint64(tr.Transition))
	return h, ok
}

// enter adds an entry for a map or list. The caller must call finish to complete the entry.
func (s *sharer) enter() (at int, ok bool) {
	s.parts = append(s.parts, sharedPart{})
	return len(s.parts) - 1, len(s.parts) <= maxParts
}

func (s *sharer) finish(at int, h intern.Hash) (intern.Hash, bool) {
	s.parts[at] = sharedPart{hash: h, end: len(s.parts)}
	return h, true
}

func (s *sharer) hashList(l *List, depth int) (intern.Hash, bool) {
	at, ok := s.enter()
	if !ok {
		return 0, false
	}
	h, ok := s.hashRef(l.ElementType, depth)
	if !ok {
		return 0, false
	}
	h.Text(string(l.ElementRelationship))
	for _, k := range l.Keys {
		h.Text(k)
	}
	h.Plain(l.ElementDefault)
	return s.finish(at, h)
}

func (s *sharer) hashMap(m *Map, depth int) (intern.Hash, bool) {
	at, ok := s.enter()
	if !ok || len(m.Unions) > 0 {
		return 0, false
	}
	h, ok := s.hashRef(m.ElementType, depth)
	if !ok {
		return 0, false
	}
	fields := uint64(0)
	for i := range m.Fields {
		f := &m.Fields[i]
		fh, ok := s.hashRef(f.Type, depth)
		if !ok {
			return 0, false
		}
		fh.Text(f.Name)
		fh.Plain(f.Default)
		fields += uint64(fh)
	}
	h.Number(fields)
	h.Text(string(m.ElementRelationship))
	h.Text(string(m.UnknownFields))
	h.Plain(m.ElementDefault)
	for _, name := range m.Required {
		h.Text(name)
	}
	return s.finish(at, h)
}

// The methods atom, ref, list and mapping return the shared form of their argument.
func (s *sharer) atom(a Atom) Atom {
	a.Scalar = known(knownScalars, a.Scalar)
	if a.List != nil {
		a.List = s.list(a.List)
	}
	if a.Map != nil {
		a.Map = s.mapping(a.Map)
	}
	return a
}

func (s *sharer) ref(tr TypeRef) TypeRef {
	if tr.NamedType != nil {
		tr.NamedType = sharedName(*tr.NamedType)
	}
	tr.ElementRelationship = known(knownRelations, tr.ElementRelationship)
	tr.Inlined = s.atom(tr.Inlined)
	return tr
}

func (s *sharer) list(l *List) *List {
	p := s.parts[s.next]
	if kept := sharedTypes.lists.Find(p.hash, l.same); kept != nil {
		s.next = p.end
		return kept
	}
	s.next++
	c := *l
	c.ElementType = s.ref(l.ElementType)
	return sharedTypes.lists.Keep(&c, p.hash, c.same)
}

func (s *sharer) mapping(m *Map) *Map {
	p := s.parts[s.next]
	if kept := sharedTypes.maps.Find(p.hash, m.same); kept != nil {
		s.next, s.found = p.end, true
		return kept
	}
	s.next++
	c := &Map{}
	m.CopyInto(c)
	c.index.Store(nil)
	c.ElementType = s.ref(m.ElementType)
	c.Fields = slices.Clip(append(m.Fields[:0:0], m.Fields...))
	for i := range c.Fields {
		c.Fields[i].Type = s.ref(c.Fields[i].Type)
	}
	slices.SortStableFunc(c.Fields, func(a, b StructField) int { return strings.Compare(a.Name, b.Name) })
	s.found = false
	return sharedTypes.maps.Keep(c, p.hash, c.same)
}

// same reports whether two map types are equal. The fields of kept must be sorted by name, but the
// fields of m can have any order. same may return false for equal maps in which a field name occurs
// twice.
func (m *Map) same(kept *Map) bool {
	if m == kept {
		return true
	}
	if m.ElementRelationship != kept.ElementRelationship || m.UnknownFields != kept.UnknownFields ||
		(m.Unions == nil) != (kept.Unions == nil) || (m.Fields == nil) != (kept.Fields == nil) || len(m.Fields) != len(kept.Fields) ||
		!sameStrings(m.Required, kept.Required) || !intern.SamePlain(m.ElementDefault, kept.ElementDefault) ||
		!m.ElementType.same(&kept.ElementType) {
		return false
	}
	var few [4]uint64
	met := few[:]
	if len(m.Fields) > 64*len(few) {
		met = make([]uint64, len(m.Fields)/64+1)
	}
	for i := range m.Fields {
		f, at := &m.Fields[i], i
		if kept.Fields[at].Name != f.Name {
			at, _ = slices.BinarySearchFunc(kept.Fields, f.Name, func(f StructField, name string) int { return strings.Compare(f.Name, name) })
		}
		if at == len(kept.Fields) || met[at/64]>>(at%64)&1 != 0 {
			return false
		}
		met[at/64] |= 1 << (at % 64)
		if k := &kept.Fields[at]; k.Name != f.Name || !intern.SamePlain(f.Default, k.Default) || !f.Type.same(&k.Type) {
			return false
		}
	}
	return true
}

func (l *List) same(kept *List) bool {
	return l == kept || l.ElementRelationship == kept.ElementRelationship && sameStrings(l.Keys, kept.Keys) &&
		intern.SamePlain(l.ElementDefault, kept.ElementDefault) && l.ElementType.same(&kept.ElementType)
}

func (tr *TypeRef) same(kept *TypeRef) bool {
	return equalPointers(tr.NamedType, kept.NamedType) && equalPointers(tr.ElementRelationship, kept.ElementRelationship) &&
		tr.Nullable == kept.Nullable && tr.Transition == kept.Transition && tr.Inlined.same(&kept.Inlined)
}

func (a *Atom) same(kept *Atom) bool {
	return equalPointers(a.Scalar, kept.Scalar) &&
		(a.List == nil) == (kept.List == nil) && (a.Map == nil) == (kept.Map == nil) &&
		(a.List == nil || a.List.same(kept.List)) && (a.Map == nil || a.Map.same(kept.Map))
}

func sameStrings(a, b []string) bool {
	return (a == nil) == (b == nil) && slices.Equal(a, b)
}

// sharedName returns the shared pointer to a name.
func sharedName(name string) *string {
	var h intern.Hash
	h.Text(name)
	same := func(kept *string) bool { return *kept == name }
	if kept := sharedTypes.names.Find(h, same); kept != nil {
		return kept
	}
	// Clone the name, because it may be a substring that would keep a larger string in memory.
	own := strings.Clone(name)
	return sharedTypes.names.Keep(&own, h, same)
}

var (
	knownScalars   = []*Scalar{pointerTo(Numeric), pointerTo(String), pointerTo(Boolean), pointerTo(Untyped)}
	knownRelations = []*ElementRelationship{pointerTo(Associative), pointerTo(Atomic), pointerTo(Separable)}
)

func pointerTo[T any](v T) *T { return &v }

// known returns the first of several pointers that points to a value equal to *p. If there is none,
// it returns p itself.
func known[T comparable](all []*T, p *T) *T {
	for _, k := range all {
		if equalPointers(k, p) {
			return k
		}
	}
	return p
}
