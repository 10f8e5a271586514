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
// Types must not change after the first call of a method. All methods are safe for concurrent
// use.
type Schema struct {
	Types []TypeDef `yaml:"types,omitempty"`

	// DeclarativeDefaults turns on the semantics of KEP-1929 for defaults and null. For example, if
	// a config omits a field, and the live object has the default of the field, the two do not
	// differ. Applying the same config again changes nothing. A null key of a list item counts as a
	// missing key. If DeclarativeDefaults is off, the schema behaves like structured-merge-diff
	// v6.4.2, unless SetProcessPolicies selects another behavior.
	DeclarativeDefaults bool `yaml:"declarativeDefaults,omitempty"`

	// MissingKeys selects how to treat a list item that lacks a key without a default.
	MissingKeys KeyPolicy `yaml:"missingKeys,omitempty"`

	// ZeroKeysUnset treats a key that is "", 0 or false as missing. A Go struct serializes such
	// a key if the field has no omitempty. ZeroKeysUnset has an effect only if
	// DeclarativeDefaults is on, and only on keys that have a default.
	ZeroKeysUnset bool `yaml:"zeroKeysUnset,omitempty"`

	state atomic.Pointer[state]
	// shared points to the first element of Types if Types has been replaced with shared types.
	shared atomic.Pointer[TypeDef]
}

// TypeSpecifier holds a schema and a reference to one of its types.
type TypeSpecifier struct {
	Type   TypeRef `yaml:"type,omitempty"`
	Schema Schema  `yaml:"schema,omitempty"`
}

// state caches data that a schema computes. A schema and its copies made with CopyInto have the
// same types and share one state. Copies may have different policies, so data that depends on
// policies is cached separately for each set of policies.
type state struct {
	types     []TypeDef
	names     *index
	memo      sync.Map // caches results of Resolve: maps an overrideKey to its Atom
	compilers [waysToSet]atomic.Pointer[compiler]
	lenient   [waysToSet]atomic.Pointer[opener]
}

func newState(types []TypeDef) *state {
	return &state{types: types, names: newIndex(len(types), func(i int) string { return types[i].Name })}
}

// find returns the index of the type with the given name, or -1 if there is none.
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

// types returns s.Types. The first use of the schema in another goroutine may replace s.Types, so
// methods that do not compile the schema must call types instead of reading s.Types.
func (s *Schema) types() []TypeDef {
	sharedTypes.use.RLock()
	defer sharedTypes.use.RUnlock()
	return s.Types
}

// CopyInto makes dst a copy of s. The copy shares the types, which are immutable. If dst
// is nil, CopyInto does nothing.
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

// FindNamedType returns the type with the given name, and whether it exists. If several types
// have this name, it returns the last one.
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

// Resolve returns the type that tr refers to. If tr has an element relationship, the result has
// that relationship instead of the type's own. Resolve returns false if there is no such type,
// or if tr has an element relationship and the type is neither a map nor a list.
//
// Calls with the same reference return the same atom.
func (s *Schema) Resolve(tr TypeRef) (Atom, bool) {
	atom := tr.Inlined
	if tr.NamedType != nil {
		st := s.computed()
		i := st.find(*tr.NamedType)
		if i < 0 {
			return Atom{}, false
		}
		atom = st.types[i].Atom
	}
	if tr.ElementRelationship == nil {
		return atom, true
	}
	key := overrideKey{relation: *tr.ElementRelationship}
	if tr.NamedType != nil {
		key.name = *tr.NamedType
	} else {
		key.inlined = tr.Inlined
	}
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

// index finds the entries of a list by name. If several entries have the same name, it finds the
// last one. It does not store the names, so it needs only a few bytes for each entry.
type index struct {
	slots []int32 // 1 + the position of an entry in the list; 0 for an empty slot
}

// unindexed is the maximum length of a list that needs no index.
const unindexed = 8

var nameSeed = maphash.MakeSeed()

// newIndex returns the index of a list with n entries. name returns the name of an entry.
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

// slot returns the slot of the entry named wanted, or the empty slot where it would go.
func (x *index) slot(wanted string, name func(i int) string) *int32 {
	last := len(x.slots) - 1
	at := int(maphash.String(nameSeed, wanted)) & last
	for x.slots[at] != 0 && name(int(x.slots[at]-1)) != wanted {
		at = (at + 1) & last
	}
	return &x.slots[at]
}

// find returns the position of the entry named wanted, or -1 if there is none. n and name must
// describe the same list as in the call of newIndex.
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
