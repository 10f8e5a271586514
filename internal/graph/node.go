// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"maps"
	"reflect"
	"sync/atomic"
)

// Node is one type at one place of a schema. It has the allowed kinds of values, and the
// behavior of each kind. A node without Scalar, List and Map allows no value. Undeclared fields
// of a closed struct have such a type.
//
// Nodes are immutable once their graph is built, and safe for concurrent use.
type Node struct {
	// Type is the name of the type, empty for an inlined type. It is used in messages only.
	Type string
	// ScalarText is the spelling of an Invalid scalar in the schema.
	ScalarText string
	// List is set if a list is allowed.
	List *List
	// Map is set if a map or struct is allowed.
	Map *Map
	// Scalar is the allowed kind of scalar, or NoScalar.
	Scalar Scalar
	// Nullable reports that null is a value of the type.
	Nullable bool
	// Missing reports that the schema does not define the type. No other field is set then.
	Missing bool
	// HasDefaults reports that this type, or a type reachable from it, has a default.
	HasDefaults bool
	// ChildTypesExist reports that all types directly below exist and allow a value.
	ChildTypesExist bool
	// MayReconcile reports that a stored field set of this type may need reconciliation. That
	// is true if this type, or a type reachable from it, is atomic, has declarative defaults,
	// or does not have the fact ChildTypesExist.
	MayReconcile bool
	// MayPrune reports that pruning may remove something. That is true if this type, or a type
	// reachable from it, drops undeclared fields or does not allow both maps and lists.
	MayPrune bool
	// ReconciledItself reports that a stored field set of this type needs no reconciliation,
	// except possibly the parts below it. That is true if the type is not atomic, has no
	// declarative defaults, and has ChildTypesExist.
	ReconciledItself bool
	// HasKeyedLists reports that this type, or a type reachable from it, is a list whose items
	// have keys. A manager can own such a key separately from the item.
	HasKeyedLists bool
	// Transition is the rule for updates of the value.
	Transition Transition
	// HasTransitions reports that this type, or a type reachable from it, has a Transition.
	HasTransitions bool
	// HasUnions reports that this type, or a type reachable from it without passing an atomic
	// container, has a union.
	HasUnions bool
	// Declarative reports that the graph was built with declarative defaults.
	Declarative bool
	// slot is the number of the node while its graph is built.
	slot int32
	// Default is the default of a named type, or nil.
	Default any
	// Plans are the plans of package gostruct for Go types that were read as this type.
	Plans Plans
}

// Granular reports whether a value of the type can consist of more than one leaf.
func (n *Node) Granular() bool {
	return n.Map != nil && !n.Map.Atomic || n.List != nil && !n.List.IsAtomic()
}

// HasKeys reports whether the items of l have keys that can be owned separately from the item.
// l may be nil.
func (l *List) HasKeys() bool {
	return l != nil && len(l.Keys) > 0 && (l.Item.Map == nil || !l.Item.Map.Atomic)
}

// Key returns the key with the given name, or nil. l may be nil.
func (l *List) Key(name string) *Key {
	if l != nil {
		for i := range l.Keys {
			if l.Keys[i].Name == name {
				return &l.Keys[i]
			}
		}
	}
	return nil
}

// Scalar is the kind of a scalar.
type Scalar uint8

// These are the kinds of scalar. Invalid is a kind that the schema language does not have.
const (
	NoScalar Scalar = iota
	Numeric
	String
	Boolean
	Untyped
	Invalid
)

// Kinds is a set of the three kinds of value: map, scalar and list.
type Kinds uint8

// These are the kinds. If a type allows several kinds, walks read null as the first of them in
// this order.
const (
	MapKind Kinds = 1 << iota
	ScalarKind
	ListKind
)

// Kinds returns the kinds of value that n allows.
func (n *Node) Kinds() Kinds {
	var k Kinds
	if n.Map != nil {
		k |= MapKind
	}
	if n.Scalar != NoScalar {
		k |= ScalarKind
	}
	if n.List != nil {
		k |= ListKind
	}
	return k
}

// List is a list type.
type List struct {
	// Item is the type of the items, never nil.
	Item *Node
	// Relation decides whether the list is atomic, and whether its items have identities.
	Relation
	// Strict makes a missing key without a default an error, as in structured-merge-diff v4.
	// Otherwise the identity omits the key, as in v6.
	Strict bool
	// Declarative reports that the graph was built with declarative defaults.
	Declarative bool
	// slot is the number of the list while its graph is built.
	slot int32
	// Keys identify an item of an associative list of maps. They are sorted by name. A set has
	// no keys.
	Keys []Key
	// KeyNames are the names of the keys in the order of the schema. They are used in messages
	// only.
	KeyNames []string
	// KeyFault is the reason why defaults of keys cannot be looked up, empty if they can. It
	// is reported if an item lacks a key.
	KeyFault string
	// ItemDefault is the default of an item, or nil.
	ItemDefault any
}

// Relation is the relation of the entries of a container. Walks call IsAtomic and
// IsAssociative. Only these methods define the meaning of a relation.
type Relation uint8

// These are the relations. Unknown is any other spelling. A list with an unknown relation can
// be validated, but its items have no identities.
const (
	Unknown Relation = iota
	Atomic
	Associative
	Separable
)

// IsAtomic reports whether the container is one value, which is owned and replaced as a whole.
// The entries of other containers are owned and merged one by one.
func (r Relation) IsAtomic() bool { return r == Atomic }

// IsAssociative reports whether the items of a list have identities. The identity is the keys
// if the list has keys, otherwise the value.
func (r Relation) IsAssociative() bool { return r == Associative }

// Key is one key of an associative list.
type Key struct {
	Name string
	// Absent is the default of a missing key, or nil. Only package item reads it. Other
	// packages get the keys of an item from package item.
	Absent any
	// NullIsMissing reports that null counts as a missing key.
	NullIsMissing bool
	// ZeroIsMissing reports that an empty string, 0 and false count as a missing key.
	ZeroIsMissing bool
}

// Map is a map or struct type.
type Map struct {
	// Fields are the declared fields sorted by name, one for each name.
	Fields []Field
	// Elem is the type of undeclared fields. It is never nil. If Open is false, it allows no
	// value.
	Elem *Node
	// Open reports that undeclared fields are allowed.
	Open bool
	// Atomic makes the map one leaf.
	Atomic bool
	// Deduced reports that the fields were never declared. Then paths below the map do not show
	// whether it is atomic.
	Deduced bool
	// Undeclared decides whether pruning removes undeclared fields. It has no other effect.
	Undeclared Undeclared
	// Structural reports that Undeclared comes from a structural schema, as custom resources
	// have. In a custom resource, null is a value only if the type is nullable, even if the
	// type allows any value. Only defaulting reads this field.
	Structural bool
	// slot is the number of the map while its graph is built.
	slot int32
	// ElemDefault is the default of the value of an undeclared field.
	ElemDefault any

	// Unions are the unions of a map that is not atomic, nil if there are none. It is a
	// pointer to save memory: an API server has many maps, most of them without unions. Call
	// AllUnions to read them.
	Unions *[]Union
	// ReconcileBits has the bits of the fields whose types have the fact MayReconcile, see nameBit.
	// FindFacts sets it.
	ReconcileBits uint64
	// Defaulted are the indexes of the fields with a default: their own default or the default
	// of their type. FindFacts sets it.
	Defaulted []int32

	names names
}

// AllUnions returns the unions of a map that is not atomic.
func (m *Map) AllUnions() (all []Union) {
	if m.Unions != nil {
		all = *m.Unions
	}
	return all
}

// Undeclared decides whether pruning removes undeclared fields.
type Undeclared uint8

// Dropped removes undeclared fields. Kept keeps undeclared fields and prunes them as values of
// type Elem. KeptShallow keeps undeclared fields, but removes all fields of the maps in them.
// If the map is not open, Elem allows no value. Then undeclared fields stay completely.
const (
	Dropped Undeclared = iota
	Kept
	KeptShallow
)

// Field is one declared field.
type Field struct {
	// Name is the name of the field. Path elements point to it, so it lives as long as the
	// graph.
	Name string
	// Type is the type of the field, never nil.
	Type *Node
	// Default is the default of the field, or nil.
	Default any
	// Rank is the index of the field in Fields.
	Rank int32
}

// Union is a group of fields of a map, at most one of which should be set.
type Union struct {
	// Discriminator is the field that selects a member. It is empty if there is none.
	Discriminator string
	Members       []Member
}

// Member is a field of a union. The discriminator chooses it with Value.
type Member struct{ Name, Value string }

// NewMap returns a map type with the given fields. They must be sorted by name and unique.
// elem is the type of all other fields. The result keeps fields.
func NewMap(fields []Field, elem *Node) *Map {
	m := &Map{Elem: elem}
	m.SetFields(fields)
	return m
}

// SetFields sets the fields of a map that is being built. They must be sorted by name and
// unique. The caller must not change the slice afterwards.
func (m *Map) SetFields(fields []Field) {
	m.Declare(fields)
	m.names = newNames(fields)
}

// Declare does the same as SetFields for a map that will be passed to Share. Fields cannot be
// found by name until Share has completed the map.
func (m *Map) Declare(fields []Field) {
	m.Fields = fields
	for i := range fields {
		fields[i].Rank = int32(i)
	}
}

// Field returns the declared field with the given name, or nil.
func (m *Map) Field(name string) *Field {
	if len(m.Fields) == 0 {
		return nil
	}
	return m.names.find(m.Fields, name)
}

// At returns the type of the field with the given name, which may be undeclared.
func (m *Map) At(name string) *Node {
	if f := m.Field(name); f != nil {
		return f.Type
	}
	return m.Elem
}

// Plans caches the plans for walking Go values of one node, by Go type. They live as long as
// the graph. Plans is safe for concurrent use.
type Plans struct {
	known atomic.Pointer[map[reflect.Type]any]
}

// For returns the plan for t. If there is none, it calls plan to make one. All callers get the
// same plan, but plan may be called more than once at the same time.
func (p *Plans) For(t reflect.Type, plan func() any) any {
	var made any
	for {
		known := p.known.Load()
		if known != nil {
			if kept, ok := (*known)[t]; ok {
				return kept
			}
		}
		if made == nil {
			made = plan()
		}
		all := map[reflect.Type]any{t: made}
		if known != nil {
			maps.Copy(all, *known)
		}
		if p.known.CompareAndSwap(known, &all) {
			return made
		}
	}
}
