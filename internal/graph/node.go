// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"maps"
	"reflect"
	"sync/atomic"
)

// Node is the type of values at one place of a schema. It has the allowed kinds of values,
// and the behavior of each kind. A node without Scalar, List and Map allows no value. If a
// struct does not allow undeclared fields, the type of its undeclared fields is such a
// node.
//
// Nodes are immutable once their graph is built, and safe for concurrent use.
type Node struct {
	// Type is the name of the type. It is empty for an inlined type. Only messages use it.
	Type string
	// ScalarText is the text of the scalar in the schema if Scalar is Invalid.
	ScalarText string
	// List is set if lists are allowed.
	List *List
	// Map is set if maps or structs are allowed.
	Map *Map
	// Scalar is the allowed kind of scalar, or NoScalar.
	Scalar Scalar
	// Nullable is true if null is a value of the type.
	Nullable bool
	// Missing is true if the schema does not define the type. No other field is set then.
	Missing bool
	// HasDefaults is true if this type, or a type reachable from it, has a default.
	HasDefaults bool
	// ChildTypesExist is true if the types of all fields and items exist and allow a value. A field
	// without a type (see Field.HasType) does not count.
	ChildTypesExist bool
	// MayReconcile is true if a stored field set of this type may need to be converted to the
	// current schema. This is the case if this type, or a type reachable from it, is atomic,
	// has declarative defaults, or does not have the fact ChildTypesExist.
	MayReconcile bool
	// MayPrune is true if pruning may remove something. This is the case if this type, or a
	// type reachable from it, drops undeclared fields or does not allow both maps and lists.
	MayPrune bool
	// ReconciledItself is true if a stored field set of this type needs no conversion to the
	// current schema, except possibly below its fields and items. This is the case if the type
	// is not atomic, has no declarative defaults, and has the fact ChildTypesExist.
	ReconciledItself bool
	// HasKeyedLists is true if this type, or a type reachable from it, is a list whose items
	// have keys. A manager can own such a key separately from the item.
	HasKeyedLists bool
	// Transition is the transition rule for updates of the value.
	Transition Transition
	// HasTransitions is true if this type, or a type reachable from it, has a transition rule.
	HasTransitions bool
	// HasUnions is true if this type, or a type reachable from it without passing an atomic
	// container, has a union.
	HasUnions bool
	// Declarative is true if the graph was built with declarative defaults.
	Declarative bool
	// slot is the number of the node while its graph is built.
	slot int32
	// Default is the default of a named type, or nil.
	Default any
	// Plans caches the plans of package gostruct for Go types whose values have this type.
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

// These are the kinds of scalars. Invalid stands for any other text that a schema has as
// the kind of a scalar.
const (
	NoScalar Scalar = iota
	Numeric
	String
	Boolean
	Untyped
	Invalid
)

// Kinds is a set of kinds of values. The three kinds are map, scalar and list.
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
	// Strict makes it an error if an item lacks a key without a default, as in
	// structured-merge-diff v4. Otherwise the identity omits the key, as in v6.
	Strict bool
	// Declarative is true if the graph was built with declarative defaults.
	Declarative bool
	// slot is the number of the list while its graph is built.
	slot int32
	// Keys identify an item of an associative list of maps. They are sorted by name. A set has
	// no keys.
	Keys []Key
	// KeyNames are the names of the keys in the order of the schema. Only messages use them.
	KeyNames []string
	// KeyFault is the reason why the defaults of keys cannot be looked up, or empty if they
	// can be looked up. Operations report KeyFault if an item lacks a key.
	KeyFault string
	// ItemDefault is the default of an item, or nil.
	ItemDefault any
}

// Relation is the relationship of the entries of a container. Operations call only the
// methods IsAtomic and IsAssociative, which define the meaning of a relation.
type Relation uint8

// These are the relations. Unknown is any relationship that the schema language does not
// have. A list with an unknown relation can be validated, but its items have no identities.
const (
	Unknown Relation = iota
	Atomic
	Associative
	Separable
)

// IsAtomic reports whether the container is owned and replaced as a single value. The entries
// of other containers are owned and merged one by one.
func (r Relation) IsAtomic() bool { return r == Atomic }

// IsAssociative reports whether the items of a list have identities. If the list has keys,
// the keys of an item are its identity. Otherwise the value is.
func (r Relation) IsAssociative() bool { return r == Associative }

// Key is one key of an associative list.
type Key struct {
	Name string
	// IfMissing is the value of the key in an item that lacks the key: the default of the key, or
	// nil. Only package item reads it, and all other packages get the keys of an item from there.
	IfMissing any
	// NullIsMissing is true if a null counts as a missing key.
	NullIsMissing bool
	// ZeroIsMissing is true if an empty string, 0 and false count as a missing key.
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
	// Atomic makes the map one leaf.
	Atomic bool
	// Deduced is true for the type of maps without a schema: it declares no fields, and its
	// entries are untyped. If a set has paths below such a map, the paths do not show whether
	// the map is atomic.
	Deduced bool
	// Undeclared selects whether pruning removes undeclared fields. It has no other effect.
	Undeclared Undeclared
	// Structural is true if Undeclared comes from a structural schema, as custom resources
	// have. In a custom resource, null is a value only if the type is nullable, even if the
	// type allows any value. Only defaulting reads this field.
	Structural bool
	// slot is the number of the map while its graph is built.
	slot int32
	// ElemDefault is the default of the value of an undeclared field.
	ElemDefault any

	// Unions has the unions of a map that is not atomic. Unions is nil if the map has no
	// unions. It is a pointer to save memory, because an API server has many maps, and most
	// of them have no unions. Call AllUnions to read the unions.
	Unions *[]Union
	// ReconcileBits has the bits (see nameBit) of the fields whose types have the fact
	// MayReconcile. FindFacts sets it.
	ReconcileBits uint64
	// Defaulted has the indexes of the fields that have a default, either their own or the
	// default of their type. FindFacts sets it.
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

// Dropped removes undeclared fields. Kept keeps undeclared fields and prunes them as values
// of type Elem. KeptShallow keeps undeclared fields, but removes all fields of the maps in
// them. If the map is not open, Elem allows no value. Kept then keeps undeclared fields
// with all their contents.
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

// Member is a field of a union. The discriminator selects the field Name by having the
// value Value.
type Member struct{ Name, Value string }

// NewMap returns a map type with the given fields. The fields must be sorted by name, and the
// names must be unique.
// elem is the type of all other fields. The result refers to the slice fields.
func NewMap(fields []Field, elem *Node) *Map {
	m := &Map{Elem: elem}
	m.SetFields(fields)
	return m
}

// SetFields sets the fields of a map that is being built. The fields must be sorted by
// name, and their names must be unique. The caller must not change the slice afterwards.
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

// Plans caches the plans for Go values of one node, by Go type. The plans live as long as the
// graph. Plans is safe for concurrent use.
type Plans struct {
	known atomic.Pointer[map[reflect.Type]any]
}

// For returns the plan for t. If t has no plan yet, For calls the function plan to make
// one. All callers get the same plan, but several callers may call the function at the same
// time.
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
