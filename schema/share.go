// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/internal/intern"
)

// sharedTypes is what the schemas of the process share where its policies say so: one of each
// map, list and name, held weakly. A program can reach them through Schema.Types, which
// it must not change; see [Policies].
var sharedTypes struct {
	maps  intern.Table[Map]
	lists intern.Table[List]
	names intern.Table[string]
	// use orders what shares the types of schemas, and so writes to Schema.Types, and
	// what reads them before first use.
	use sync.RWMutex
}

// shareTypes lets s hold its types together with other schemas where the policies of
// the process say so, see [Policies]; it does nothing otherwise. First use does
// the same: shareTypes is for what is made and may never be used.
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

// unshared says whether there is anything to share. The caller holds sharedTypes.use.
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
	// maxNesting is how deep a type may be inlined to be shared.
	maxNesting = 100
	// maxTypes is up to how many types a schema is shared. One with more is that
	// of a whole API: there are few, and starting up should not wait for it.
	maxTypes = 256
)

// share returns types that are equal to the given ones but for the order of
// fields, which becomes that of their names. Their maps and lists are those of
// other schemas where these have equal ones. A type that is inlined too deep,
// or into itself, or that has unions, stays as it is.
func share(types []TypeDef) []TypeDef {
	// With the capacity of the old, an append that runs while the slice is
	// replaced finds room in whichever it sees.
	out := make([]TypeDef, len(types), cap(types))
	s := sharer{maps: map[*Map]*Map{}, lists: map[*List]*List{}, names: map[string]*string{}}
	for i, td := range types {
		if a, ok := s.atom(td.Atom, 0); ok {
			td.Atom = a
		}
		out[i] = td
	}
	return out
}

// sharer holds what has become of maps and lists: nil for one that cannot be
// shared, or that is being looked at.
type sharer struct {
	maps  map[*Map]*Map
	lists map[*List]*List
	names map[string]*string
}

func (s *sharer) atom(a Atom, depth int) (_ Atom, ok bool) {
	if depth > maxNesting {
		return a, false
	}
	a.Scalar = known(knownScalars, a.Scalar)
	if a.List != nil {
		if a.List, ok = s.list(a.List, depth); !ok {
			return a, false
		}
	}
	if a.Map != nil {
		if a.Map, ok = s.mapping(a.Map, depth); !ok {
			return a, false
		}
	}
	return a, true
}

func (s *sharer) ref(tr TypeRef, depth int) (_ TypeRef, ok bool) {
	if tr.NamedType != nil {
		tr.NamedType = s.name(*tr.NamedType)
	}
	tr.ElementRelationship = known(knownRelations, tr.ElementRelationship)
	tr.Inlined, ok = s.atom(tr.Inlined, depth+1)
	return tr, ok
}

func (s *sharer) list(l *List, depth int) (*List, bool) {
	if done, ok := s.lists[l]; ok {
		return done, done != nil
	}
	s.lists[l] = nil
	c := *l
	var ok bool
	if c.ElementType, ok = s.ref(l.ElementType, depth); !ok {
		return nil, false
	}
	var h intern.Hash
	h.Number(maphash.Comparable(nameSeed, c.ElementType))
	h.Text(string(c.ElementRelationship))
	for _, k := range c.Keys {
		h.Text(k)
	}
	h.Plain(c.ElementDefault)
	kept := sharedTypes.lists.Keep(&c, h, func(k *List) bool {
		return k.ElementType == c.ElementType && k.ElementRelationship == c.ElementRelationship &&
			sameStrings(k.Keys, c.Keys) && intern.SamePlain(k.ElementDefault, c.ElementDefault)
	})
	s.lists[l] = kept
	return kept, true
}

func (s *sharer) mapping(m *Map, depth int) (*Map, bool) {
	if done, ok := s.maps[m]; ok {
		return done, done != nil
	}
	s.maps[m] = nil
	if len(m.Unions) > 0 {
		return nil, false
	}
	c := &Map{}
	m.CopyInto(c)
	c.index.Store(nil)
	var ok bool
	if c.ElementType, ok = s.ref(m.ElementType, depth); !ok {
		return nil, false
	}
	c.Fields = slices.Clip(append(m.Fields[:0:0], m.Fields...))
	slices.SortStableFunc(c.Fields, func(a, b StructField) int { return strings.Compare(a.Name, b.Name) })
	var h intern.Hash
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Type, ok = s.ref(f.Type, depth); !ok {
			return nil, false
		}
		h.Text(f.Name)
		h.Number(maphash.Comparable(nameSeed, f.Type))
		h.Plain(f.Default)
	}
	h.Number(maphash.Comparable(nameSeed, c.ElementType))
	h.Text(string(c.ElementRelationship))
	h.Text(string(c.UnknownFields))
	kept := sharedTypes.maps.Keep(c, h, c.same)
	s.maps[m] = kept
	return kept, true
}

// same says whether two maps whose parts are shared, and which have no unions,
// are the same.
func (m *Map) same(o *Map) bool {
	return m.ElementType == o.ElementType && m.ElementRelationship == o.ElementRelationship &&
		m.UnknownFields == o.UnknownFields &&
		(m.Unions == nil) == (o.Unions == nil) && (m.Fields == nil) == (o.Fields == nil) &&
		slices.EqualFunc(m.Fields, o.Fields, func(a, b StructField) bool {
			return a.Name == b.Name && a.Type == b.Type && intern.SamePlain(a.Default, b.Default)
		}) &&
		sameStrings(m.Required, o.Required) && intern.SamePlain(m.ElementDefault, o.ElementDefault)
}

func sameStrings(a, b []string) bool {
	return (a == nil) == (b == nil) && slices.Equal(a, b)
}

func (s *sharer) name(name string) *string {
	kept, ok := s.names[name]
	if !ok {
		// What was cut out of a longer text must not keep all of it.
		own := strings.Clone(name)
		kept = sharedTypes.names.Keep(&own, intern.Hash(maphash.String(nameSeed, name)), func(kept *string) bool { return *kept == name })
		s.names[own] = kept
	}
	return kept
}

var (
	knownScalars   = []*Scalar{of(Numeric), of(String), of(Boolean), of(Untyped)}
	knownRelations = []*ElementRelationship{of(Associative), of(Atomic), of(Separable)}
)

func of[T any](v T) *T { return &v }

// known returns a pointer that is the same for equal words of the schema language,
// which all are.
func known[T comparable](all []*T, p *T) *T {
	for _, k := range all {
		if equalPointers(k, p) {
			return k
		}
	}
	return p
}
