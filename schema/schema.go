// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// Schema is a list of named types.
//
// Types must not change after the first use of a method; all methods are then
// safe for concurrent use.
type Schema struct {
	Types []TypeDef `yaml:"types,omitempty"`

	// DeclarativeDefaults turns on what KEP-1929 asks of defaults and null:
	// an explicit null key of a list item is a missing key, what an applied
	// configuration leaves to a default is no difference to the live object,
	// and re-applying a configuration changes nothing. Off, the schema
	// behaves as structured-merge-diff v6.4.2 does.
	DeclarativeDefaults bool `yaml:"declarativeDefaults,omitempty"`

	// MissingKeys says what becomes of a list item that lacks a key for which
	// the schema has no default.
	MissingKeys KeyPolicy `yaml:"missingKeys,omitempty"`

	// ZeroKeysUnset says that a key which is empty, 0 or false is a missing
	// key, as it is for objects written by Go structs without omitempty. It
	// only means something with DeclarativeDefaults, and for keys with a
	// default.
	ZeroKeysUnset bool `yaml:"zeroKeysUnset,omitempty"`

	state atomic.Pointer[state]
	// shared is the start of Types once they are shared.
	shared atomic.Pointer[TypeDef]
}

// TypeSpecifier is a reference to a type together with the schema it is in.
type TypeSpecifier struct {
	Type   TypeRef `yaml:"type,omitempty"`
	Schema Schema  `yaml:"schema,omitempty"`
}

// state is what a schema computes of itself. It is shared by copies made with
// CopyInto, whose types are the same; what depends on the policies, which may
// differ, is kept for each of them.
type state struct {
	types     []TypeDef
	names     *index
	memo      sync.Map // overrideKey -> Atom
	compilers [waysToSet]atomic.Pointer[compiler]
	lenient   [waysToSet]atomic.Pointer[opener]
}

func newState(types []TypeDef) *state {
	return &state{types: types, names: newIndex(len(types), func(i int) string { return types[i].Name })}
}

// find returns the number of the type of that name, -1 if there is none.
func (st *state) find(name string) int {
	return st.names.find(name, len(st.types), func(i int) string { return st.types[i].Name })
}

func (s *Schema) computed() *state {
	if st := s.state.Load(); st != nil {
		return st
	}
	if !process.sharing.Load() {
		s.state.CompareAndSwap(nil, newState(s.Types))
		return s.state.Load()
	}
	sharedTypes.use.Lock()
	defer sharedTypes.use.Unlock()
	if st := s.state.Load(); st != nil {
		return st
	}
	s.share()
	st := newState(s.Types)
	s.state.Store(st)
	return st
}

// types returns s.Types. Methods that are no use of the schema read it so,
// since another goroutine's first use may replace it.
func (s *Schema) types() []TypeDef {
	sharedTypes.use.RLock()
	defer sharedTypes.use.RUnlock()
	return s.Types
}

// CopyInto makes dst a copy of s. The types are shared, since they are
// immutable. A nil dst is left alone.
func (s *Schema) CopyInto(dst *Schema) {
	if dst == nil {
		return
	}
	dst.shared.Store(s.shared.Load())
	dst.Types = s.types()
	dst.DeclarativeDefaults = s.DeclarativeDefaults
	dst.MissingKeys = s.MissingKeys
	dst.ZeroKeysUnset = s.ZeroKeysUnset
	dst.state.Store(s.state.Load())
}

// FindNamedType returns the type of that name, and whether there is one. Of
// several types with one name the last counts.
func (s *Schema) FindNamedType(name string) (TypeDef, bool) {
	st := s.computed()
	i := st.find(name)
	if i < 0 {
		return TypeDef{}, false
	}
	return st.types[i], true
}

type overrideKey struct {
	name     string
	inlined  Atom
	relation ElementRelationship
}

// Resolve returns the type that tr refers to, with the element relationship
// of tr in place of the type's own if tr has one. It returns false if there is
// no such type, or if a relationship is put on a type that is neither a map
// nor a list.
//
// The atom returned for a reference is the same at every call.
func (s *Schema) Resolve(tr TypeRef) (Atom, bool) {
	atom := tr.Inlined
	key := overrideKey{inlined: tr.Inlined}
	if tr.NamedType != nil {
		td, ok := s.FindNamedType(*tr.NamedType)
		if !ok {
			return Atom{}, false
		}
		atom = td.Atom
		key = overrideKey{name: *tr.NamedType}
	}
	if tr.ElementRelationship == nil {
		return atom, true
	}
	key.relation = *tr.ElementRelationship
	st := s.computed()
	if a, ok := st.memo.Load(key); ok {
		return a.(Atom), true
	}
	switch {
	case atom.Map != nil:
		m := &Map{}
		atom.Map.CopyInto(m)
		m.ElementRelationship = key.relation
		atom.Map = m
	case atom.List != nil:
		l := *atom.List
		l.ElementRelationship = key.relation
		atom.List = &l
	default:
		return Atom{}, false
	}
	a, _ := st.memo.LoadOrStore(key, atom)
	return a.(Atom), true
}

// index finds the entries of a list by name; of several with one name the last.
// It takes a few bytes an entry, since it keeps numbers and no names.
type index struct {
	slots []int32 // 1 + number of an entry, 0 where there is none
}

// unindexed is up to how many entries a list needs no index.
const unindexed = 8

var nameSeed = maphash.MakeSeed()

// newIndex returns the index of n entries.
func newIndex(n int, name func(i int) string) *index {
	if n <= unindexed {
		return &index{}
	}
	size := 16
	for size < n+n/2 {
		size *= 2
	}
	x := &index{slots: make([]int32, size)}
	for i := range n {
		*x.slot(name(i), name) = int32(i + 1)
	}
	return x
}

// slot returns where the entry of that name is, or belongs.
func (x *index) slot(wanted string, name func(i int) string) *int32 {
	last := len(x.slots) - 1
	at := int(maphash.String(nameSeed, wanted)) & last
	for x.slots[at] != 0 && name(int(x.slots[at]-1)) != wanted {
		at = (at + 1) & last
	}
	return &x.slots[at]
}

// find returns the number of the entry of that name, -1 if there is none. The
// list is the one that x was made of.
func (x *index) find(wanted string, n int, name func(i int) string) int {
	if len(x.slots) == 0 {
		for i := n - 1; i >= 0; i-- {
			if name(i) == wanted {
				return i
			}
		}
		return -1
	}
	return int(*x.slot(wanted, name)) - 1
}
