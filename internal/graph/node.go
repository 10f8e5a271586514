// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"maps"
	"reflect"
	"sync/atomic"
)

// Node is a compiled type. It says which kinds of values the type allows, and how operations
// treat each kind. A node without Scalar, List and Map allows no value. If a struct allows no
// undeclared fields, its Map.Elem is a node that allows no value.
//
// Nodes are immutable once their graph is built, so they are safe for concurrent use.
type Node struct {
	// Type is the name of the type. It is empty for an inlined type. Only messages use it.
	Type string
	// ScalarText is the scalar as written in the schema. Messages use it if Scalar is Invalid.
	ScalarText string
	// List is set if lists are allowed.
	List *List
	// Map is set if maps or structs are allowed.
	Map *Map
	// Scalar is the allowed kind of scalar, or NoScalar.
	Scalar Scalar
	// Nullable is true if the schema declares the type as nullable.
	Nullable bool
	// Missing is true if the schema does not define the type. No other field is set then.
	Missing bool
	// HasDefaults is true if this type, or a type reachable from it, has a default.
	HasDefaults bool
	// MayReplaceNulls is true if KeepsNull returns false for this type, or for a type reachable from
	// it. Defaulting may then replace or remove a null in a value of this type.
	MayReplaceNulls bool
	// ChildTypesExist is true if the types of all fields and items exist and allow a value.
	// Fields without a type are ignored (see Field.HasType).
	ChildTypesExist bool
	// MayReconcile is true if stored field sets of this type may need a conversion after a change of
	// the schema. This is so if this type, or a type reachable from it, is atomic, has declarative
	// defaults, or has child types that do not exist (see ChildTypesExist).
	MayReconcile bool
	// MayPrune is true if pruning may remove fields from a value of this type. This is so if this
	// type, or a type reachable from it, drops undeclared fields, does not allow maps, or does not
	// allow lists.
	MayPrune bool
	// ReconciledItself is true if stored field sets of this type need no conversion after a change
	// of the schema, except possibly below its fields and items. This is so if the type is not
	// atomic, has no declarative defaults, and has only child types that exist (see
	// ChildTypesExist).
	ReconciledItself bool
	// HasKeyedLists is true if this type, or a type reachable from it, is a list for which
	// HasKeys returns true.
	HasKeyedLists bool
	// Transition is the transition rule for updates of the value.
	Transition Transition
	// HasTransitions is true if this type, or a type reachable from it, has a transition rule.
	HasTransitions bool
	// HasUnions is true if this type, or a type reachable from it, has a union. Types that are
	// reachable only through an atomic list or map do not count.
	HasUnions bool
	// Declarative is true if the graph was built with declarative defaults.
	Declarative bool
	// slot is the index of the node in a temporary list while its graph is built.
	slot int32
	// Default is the default of a named type, or nil.
	Default any
	// Plans caches the plans of package gostruct for this type. There is one plan for each Go type.
	Plans Plans
}

// Granular reports whether a value of the type can consist of more than one leaf.
func (n *Node) Granular() bool {
	return n.Map != nil && !n.Map.Atomic || n.List != nil && !n.List.IsAtomic()
}

// KeepsNull reports whether defaulting leaves a null of type n unchanged. The result is true if the
// type is nullable, or if the type allows any value and the schema is not structural.
func (n *Node) KeepsNull() bool {
	return n.Nullable || n.Scalar == Untyped && n.List != nil && n.Map != nil && !n.Map.Structural
}

// HasKeys reports whether the items of l have keys that a manager can own separately from the
// item. l may be nil.
func (l *List) HasKeys() bool {
	return l != nil && len(l.Keys) > 0 && (l.Item.Map == nil || !l.Item.Map.Atomic)
}

// Key returns the key with the given name, or nil if there is none. l may be nil.
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

// These are the kinds of scalars. Invalid means that a schema names a kind that does not exist.
const (
	NoScalar Scalar = iota
	Numeric
	String
	Boolean
	Untyped
	Invalid
)

// Kinds is a set of kinds of values.
type Kinds uint8

// These are the kinds of values. If a type allows several kinds, operations treat null as a
// value of the first allowed kind in this list.
const (
	MapKind Kinds = 1 << iota
	ScalarKind
	ListKind
)

// Kinds returns the kinds of values that n allows.
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
	// Relation determines whether the list is atomic, and whether its items have
	// identities.
	Relation
	// Strict determines what happens if an item lacks a key that has no default. If Strict is
	// true, this is an error, as in structured-merge-diff v4. If it is false, the identity omits
	// the key, as in v6.
	Strict bool
	// Declarative is true if the graph was built with declarative defaults.
	Declarative bool
	// slot is the index of the list in a temporary list while its graph is built.
	slot int32
	// Keys identify an item of an associative list of maps. They are sorted by name. A set has
	// no keys.
	Keys []Key
	// KeyNames are the names of the keys in the order of the schema. Only messages use them.
	KeyNames []string
	// KeyFault is an error in the schema that makes it impossible to look up the defaults of keys.
	// It is empty if there is no such error. Operations report it if an item lacks a key.
	KeyFault string
	// ItemDefault is the default of an item, or nil.
	ItemDefault any
}

// Relation is the compiled form of schema.ElementRelationship. The methods IsAtomic and
// IsAssociative define its meaning, and operations call only these.
type Relation uint8

// These are the relations. Unknown stands for an invalid relationship in a schema. The items of
// a list with this relation have no identities, but they can be validated.
const (
	Unknown Relation = iota
	Atomic
	Associative
	Separable
)

// IsAtomic reports whether the list or map is owned and replaced as a single value. The entries
// of other lists and maps are owned and merged one by one.
func (r Relation) IsAtomic() bool { return r == Atomic }

// IsAssociative reports whether the items of a list have identities. If the list has keys, the keys
// of an item are its identity. If it has no keys, the value of the item is its identity.
func (r Relation) IsAssociative() bool { return r == Associative }

// Key is one key of an associative list.
type Key struct {
	Name string
	// IfMissing is the default of the key, or nil. It is the value of the key in an item that lacks
	// the key. Only package item reads it. All other packages call package item to get the keys of
	// an item.
	IfMissing any
	// NullIsMissing is true if a null key counts as missing.
	NullIsMissing bool
	// ZeroIsMissing is true if a key that is "", 0 or false counts as missing.
	ZeroIsMissing bool
}

// Map is a map or struct type.
type Map struct {
	// Fields are the declared fields, sorted by name. Names are unique.
	Fields []Field
	// Elem is the type of undeclared fields, and is never nil. If Open is false, this type
	// allows no value.
	Elem *Node
	// Open is true if undeclared fields are allowed.
	Open bool
	// Atomic is true if the map is owned and replaced as a single value.
	Atomic bool
	// Deduced is true for the type of maps without a schema: it declares no fields, and its
	// entries are untyped. Operations that convert field sets skip such maps.
	Deduced bool
	// Undeclared selects whether pruning removes undeclared fields. It has no other effect.
	Undeclared Undeclared
	// Structural is true if Undeclared comes from a structural schema, such as the schema of a
	// custom resource. With a structural schema, null is a value only if the type is nullable,
	// even if the type allows any value. Only defaulting reads this field.
	Structural bool
	// slot is the index of the map in a temporary list while its graph is built.
	slot int32
	// ElemDefault is the default of an undeclared field, or nil.
	ElemDefault any

	// Unions contains the unions of a map that is not atomic, or is nil if there are none. It is
	// a pointer to save memory, because most of the many maps in an API server have no unions.
	// Call AllUnions to read the unions.
	Unions *[]Union
	// ReconcileBits contains the bits (see nameBit) of the fields whose types have MayReconcile
	// set, so that ToReconcile is fast. FindFacts computes it.
	ReconcileBits uint64
	// Defaulted contains the indexes of the fields that have a default, either their own or the
	// default of their type. FindFacts computes it.
	Defaulted []int32

	names names
}

// AllUnions returns the unions of m. An atomic map has none.
func (m *Map) AllUnions() (all []Union) {
	if m.Unions != nil {
		all = *m.Unions
	}
	return all
}

// Undeclared selects whether pruning removes undeclared fields.
type Undeclared uint8

// These constants say what pruning does with an undeclared field. Dropped removes the field. Kept
// keeps the field. If the map is open, Kept also prunes the content of the field according to the
// type Elem. If the map is not open, Kept keeps the whole content. KeptShallow keeps the field, but
// removes all fields of the maps inside it.
const (
	Dropped Undeclared = iota
	Kept
	KeptShallow
)

// Field is one declared field.
type Field struct {
	// Name is the name of the field. Path elements point to it, so it must not change.
	Name string
	// Type is the type of the field, never nil.
	Type *Node
	// Default is the default of the field, or nil.
	Default any
	// Rank is the index of the field in Fields.
	Rank int32
}

// Union is a group of fields of a map. At most one field of the group should be set.
type Union struct {
	// Discriminator is the name of the field that selects a member. It is empty if the
	// union has no such field.
	Discriminator string
	Members       []Member
}

// Member is a field of a union. Name is the name of the field. If the discriminator has the value
// Value, it selects this member.
type Member struct{ Name, Value string }

// NewMap returns a map type with the given fields, which must be sorted by name and have unique
// names. elem is the type of all other fields. The result refers to the slice fields.
func NewMap(fields []Field, elem *Node) *Map {
	m := &Map{Elem: elem}
	m.SetFields(fields)
	return m
}

// SetFields sets the fields of a map that is being built. The fields must be sorted by name and
// have unique names. The caller must not change the slice afterwards.
func (m *Map) SetFields(fields []Field) {
	m.Declare(fields)
	m.names = newNames(fields)
}

// Declare is like SetFields, but does not build the index of field names, so Field does not
// work yet. Call it for a map that will be passed to Share, which builds the index.
func (m *Map) Declare(fields []Field) {
	m.Fields = fields
	for i := range fields {
		fields[i].Rank = int32(i)
	}
}

// Field returns the declared field with the given name, or nil if there is none.
func (m *Map) Field(name string) *Field {
	if len(m.Fields) == 0 {
		return nil
	}
	return m.names.find(m.Fields, name)
}

// At returns the type of the field with the given name. The field may be undeclared.
func (m *Map) At(name string) *Node {
	if f := m.Field(name); f != nil {
		return f.Type
	}
	return m.Elem
}

// Plans caches plans for the values of one node, by their Go type. The plans live as long as the
// graph. Plans is safe for concurrent use.
type Plans struct {
	known atomic.Pointer[map[reflect.Type]any]
}

// For returns the plan for t. If there is none yet, For calls plan to create it. Concurrent
// calls may create several plans, but all callers get the same one.
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
