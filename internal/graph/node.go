// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"maps"
	"reflect"
	"sync/atomic"
)

// Node is one type as it stands at one place of a schema: the kinds of value
// it allows and how each of them behaves. A node with neither Scalar, List nor
// Map allows nothing; it is what an undeclared field of a closed struct has.
//
// Nodes are immutable once their graph is built and safe for concurrent use.
type Node struct {
	// Type is the name of the type, empty for an inlined one. For messages.
	Type string
	// ScalarText is the schema's own spelling of an Invalid scalar.
	ScalarText string
	// List is set where a list is allowed.
	List *List
	// Map is set where a map or struct is allowed.
	Map *Map
	// Scalar is the scalar kind allowed, NoScalar if none.
	Scalar Scalar
	// Nullable says that an explicit null is a value here.
	Nullable bool
	// Missing says that the reference led to no type. Nothing else is set.
	Missing bool
	// Defaults says that this type, or a type that can be reached from it,
	// carries a default.
	Defaults bool
	// Sound says that all that may stand directly below has a type that
	// allows something.
	Sound bool
	// Reconciles says that a stored field set of this type may need to be reconciled:
	// this type, or one that can be reached from it, is atomic, has
	// declarative defaults, or leads nowhere.
	Reconciles bool
	// Drops says that pruning may find something to drop: this type, or one that
	// can be reached from it, drops undeclared fields or allows no map or no list.
	Drops bool
	// ReconciledItself says that a stored field set of this type is as it should be but
	// maybe for what is below: the type is not atomic, has no declarative defaults, and is Sound.
	ReconciledItself bool
	// Keyed says that this type, or one that can be reached from it, is a list
	// whose items have keys that can be owned apart from them.
	Keyed bool
	// Transition says what an update may not do to the value.
	Transition Transition
	// HasTransitions says that this type, or one that can be reached from it, has a
	// Transition.
	HasTransitions bool
	// Unioned says that this type, or one that can be reached from it without passing
	// what is atomic, has a union.
	Unioned bool
	// Declarative says that the graph was built with declarative defaults on.
	Declarative bool
	// slot is the number of the node while its graph is being built.
	slot int32
	// Default is the default of a named type, nil if there is none.
	Default any
	// Plans are the plans for Go values that were read as this type.
	Plans Plans
}

// Granular says whether a value of the type can be more than one leaf.
func (n *Node) Granular() bool {
	return n.Map != nil && !n.Map.Atomic || n.List != nil && !n.List.IsAtomic()
}

// HasKeys says whether l has items with keys that can be owned apart from them.
func (l *List) HasKeys() bool {
	return l != nil && len(l.Keys) > 0 && (l.Item.Map == nil || !l.Item.Map.Atomic)
}

// Key returns the key of that name, nil if there is none; a nil list has none.
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

// The kinds of scalar. Invalid stands for a spelling that no release of the
// schema language knows.
const (
	NoScalar Scalar = iota
	Numeric
	String
	Boolean
	Untyped
	Invalid
)

// Kinds is a set of the three shapes a value can take.
type Kinds uint8

// The shapes, in the order in which a null value is read where several are
// allowed.
const (
	MapKind Kinds = 1 << iota
	ScalarKind
	ListKind
)

// Kinds returns the shapes that n allows.
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
	// Relation says how items relate.
	Relation
	// Strict makes a missing key without default an error (SMD v4); otherwise
	// the key is left out of the identity (SMD v6).
	Strict bool
	// Declarative says that the graph was built with declarative defaults on.
	Declarative bool
	// slot is the number of the list while its graph is being built.
	slot int32
	// Keys identify an item of an associative list of maps, sorted by name.
	// A list-type set has none.
	Keys []Key
	// KeyNames are the keys in the order the schema declares them. For messages.
	KeyNames []string
	// KeyFault says why defaults of keys cannot be looked up, empty if they
	// can. It is reported when an item lacks a key.
	KeyFault string
	// ItemDefault is the default of an item, nil if there is none.
	ItemDefault any
}

// Relation says how the items of a container relate to one another. Walks ask IsAtomic
// and IsAssociative, which alone say what a relation means.
type Relation uint8

// Relations. Unknown is any other spelling; a list of that kind can be
// validated but not indexed.
const (
	Unknown Relation = iota
	Atomic
	Associative
	Separable
)

// IsAtomic says whether the container is one value, which is owned and replaced as a
// whole. Of one that is not, entries are owned and merged one by one.
func (r Relation) IsAtomic() bool { return r == Atomic }

// IsAssociative says whether the items of a list have identities: by the keys, if there
// are any, or else by their values.
func (r Relation) IsAssociative() bool { return r == Associative }

// Key is one key of an associative list.
type Key struct {
	Name string
	// Absent is the value a missing key stands for, nil if there is none. Whoever
	// asks for the key of an item asks package item, which alone decides by it.
	Absent any
	// NullIsMissing says that an explicit null counts as a missing key.
	NullIsMissing bool
	// ZeroIsMissing says that an empty string, 0 and false do too.
	ZeroIsMissing bool
}

// Map is a map or struct type.
type Map struct {
	// Fields are the declared fields sorted by name, one for each name.
	Fields []Field
	// Elem is the type of undeclared fields, never nil. Where Open is false
	// there may be none, and Elem allows nothing.
	Elem *Node
	// Open says that undeclared fields are allowed.
	Open bool
	// Atomic makes the map one leaf.
	Atomic bool
	// Deduced marks a map whose fields were never declared: its paths say
	// nothing about atomicity.
	Deduced bool
	// Undeclared says what pruning does to undeclared fields. Nothing else asks.
	Undeclared Undeclared
	// Structural says that the schema states that, as those of custom resources
	// do: null is a value only where the type is nullable, though it allows
	// anything. Only defaulting asks.
	Structural bool
	// slot is the number of the map while its graph is being built.
	slot int32
	// ElemDefault is the default of the value of an undeclared field.
	ElemDefault any

	// Unions are the unions of a map that is not atomic, nil if there are none: a pointer,
	// since an API server holds many maps, of which most have none. AllUnions reads them.
	Unions *[]Union
	// Reconciles has the bits of the names of the fields whose types do. FindFacts finds
	// them.
	Reconciles uint64
	// Defaulted are the indexes of the fields that have a default, their own or
	// that of their type. FindFacts finds them.
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

// Undeclared says what becomes of undeclared fields.
type Undeclared uint8

// Undeclared fields are dropped, or kept as what they are of, type Elem, or kept
// without the fields of maps in them. Elem allows nothing if the map is not open;
// then they are kept whole.
const (
	Dropped Undeclared = iota
	Kept
	KeptShallow
)

// Field is one declared field.
type Field struct {
	// Name is the field's name. Path elements point at it, so it lives as
	// long as the graph.
	Name string
	// Type is the field's type, never nil.
	Type *Node
	// Default is the field's default, nil if there is none.
	Default any
	// Rank is the field's index among the fields sorted by name.
	Rank int32
}

// Union is a group of fields of a map of which one is meant to be set.
type Union struct {
	// Discriminator is the field that says which, empty if there is none.
	Discriminator string
	Members       []Member
}

// Member is a field of a union, which the discriminator names with Value.
type Member struct{ Name, Value string }

// NewMap returns a map type with the given fields, which must be sorted by
// name and unique, and a type for the others. The result keeps fields.
func NewMap(fields []Field, elem *Node) *Map {
	m := &Map{Elem: elem}
	m.SetFields(fields)
	return m
}

// SetFields sets the fields of a map that is being built. They must be sorted
// by name and unique.
func (m *Map) SetFields(fields []Field) {
	m.Declare(fields)
	m.names = newNames(fields)
}

// Declare is SetFields for a map that Share gets, which completes it if it is new: until
// then no field is found by its name.
func (m *Map) Declare(fields []Field) {
	m.Fields = fields
	for i := range fields {
		fields[i].Rank = int32(i)
	}
}

// Field returns the declared field of that name, nil if there is none.
func (m *Map) Field(name string) *Field {
	if len(m.Fields) == 0 {
		return nil
	}
	return m.names.find(m.Fields, name)
}

// At returns the type of the field of that name, declared or not.
func (m *Map) At(name string) *Node {
	if f := m.Field(name); f != nil {
		return f.Type
	}
	return m.Elem
}

// Plans keeps what walks of Go values have worked out about a node and each Go
// type that stood there, so that it lives as long as the graph. Safe for
// concurrent use.
type Plans struct {
	known atomic.Pointer[map[reflect.Type]any]
}

// For returns the plan for t, which plan makes if there is none yet. All get the same one,
// though two that ask at once may both make it.
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
