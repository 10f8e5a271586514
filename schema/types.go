// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TypeDef is a named type.
type TypeDef struct {
	// Name is the name that references use. Of several types with one name
	// the last counts.
	Name string `yaml:"name,omitempty"`

	Atom `yaml:"atom,omitempty,inline"`

	// Default stands for an absent value of this type wherever the place that
	// refers to it has no default of its own. Nil if there is none.
	Default interface{} `yaml:"default,omitempty"`

	// Transition says what an update may not do to a value of this type, wherever
	// the place that refers to it does not say so itself.
	Transition Transition `yaml:"transition,omitempty"`
}

// TypeRef refers to a type, by name or inlined.
type TypeRef struct {
	// NamedType is the name of the type. If it is set, Inlined is ignored.
	NamedType *string `yaml:"namedType,omitempty"`
	Inlined   Atom    `yaml:",inline,omitempty"`

	// ElementRelationship takes the place of the relationship of the map or
	// list that is referred to, if it is set.
	ElementRelationship *ElementRelationship `yaml:"elementRelationship,omitempty"`

	// Nullable says that an explicit null is a value here, as OpenAPI's
	// `nullable: true` does.
	Nullable bool `yaml:"nullable,omitempty"`

	// Transition says what an update may not do to the value here. It takes the
	// place of that of the type that is referred to.
	Transition Transition `yaml:"transition,omitempty"`
}

// Atom is a type without a name. More than one field may be set: values of
// each of these kinds are then allowed.
type Atom struct {
	*Scalar `yaml:"scalar,omitempty"`
	*List   `yaml:"list,omitempty"`
	*Map    `yaml:"map,omitempty"`
}

// QuantityType is the name that quantities have in Kubernetes' schemas, where their
// type is an untyped scalar: the same number may have several spellings. Package
// kube/openapi gives it to the fields of custom resources, too, that are an int or a
// string of the form of a quantity.
const QuantityType = "io.k8s.apimachinery.pkg.api.resource.Quantity"

// Scalar is the kind of a scalar type.
type Scalar string

const (
	// Numeric allows integers and floating point numbers.
	Numeric Scalar = "numeric"
	// String allows strings.
	String Scalar = "string"
	// Boolean allows true and false.
	Boolean Scalar = "boolean"
	// Untyped allows every scalar.
	Untyped Scalar = "untyped"
)

// ElementRelationship says how the items of a list or map relate to each
// other, and so what one manager can own of it.
type ElementRelationship string

const (
	// Associative items of a list are known by their keys, or by their value
	// if the list is a set, not by their index.
	Associative ElementRelationship = "associative"
	// Atomic containers are owned and replaced as a whole.
	Atomic ElementRelationship = "atomic"
	// Separable items have nothing to do with each other. This is what maps
	// are unless they say otherwise.
	Separable ElementRelationship = "separable"
)

// IsAtomic says whether a list or map is one value, owned and replaced as a whole.
func (r ElementRelationship) IsAtomic() bool { return relations[r].IsAtomic() }

// IsAssociative says whether the items of a list are known by their keys or values, and
// so owned one by one.
func (r ElementRelationship) IsAssociative() bool { return relations[r].IsAssociative() }

// Map is a map or a struct.
type Map struct {
	// Fields are the declared fields. Of several with one name the last
	// counts.
	Fields []StructField `yaml:"fields,omitempty"`

	// Unions are groups of fields that exclude each other. Merging and validation
	// do not ask for them; typed.TypedValue.SettleUnions does, and so does package
	// fieldmanager where it is told to.
	Unions []Union `yaml:"unions,omitempty"`

	// ElementType is the type of all fields that are not declared. The zero
	// value allows none.
	ElementType TypeRef `yaml:"elementType,omitempty"`

	// ElementRelationship is Separable (or empty) or Atomic.
	ElementRelationship ElementRelationship `yaml:"elementRelationship,omitempty"`

	// ElementDefault stands for an undeclared field's value that is null
	// without being nullable. Nil if there is none.
	ElementDefault interface{} `yaml:"elementDefault,omitempty"`

	// Required are the names of the fields that must be present.
	Required []string `yaml:"required,omitempty"`

	// UnknownFields says what pruning does to the fields that are not declared.
	// Empty: a map without ElementType loses them, a map with one keeps them.
	// Where a type allows anything, and drops all fields, nothing is known of
	// the items of a list either. Other spellings than those of the constants
	// are read as empty.
	//
	// Of the other operations only defaulting asks: a type that allows anything
	// takes null for a value, unless this is set; then it must be Nullable, as in
	// custom resources.
	UnknownFields UnknownFieldPolicy `yaml:"unknownFields,omitempty"`

	index atomic.Pointer[index]
}

// FindField returns the declared field of that name, and whether there is one.
// It is safe for concurrent use.
func (m *Map) FindField(name string) (StructField, bool) {
	nameOf := func(i int) string { return m.Fields[i].Name }
	x := m.index.Load()
	if x == nil {
		x = newIndex(len(m.Fields), nameOf)
		m.index.Store(x)
	}
	i := x.find(name, len(m.Fields), nameOf)
	if i < 0 {
		return StructField{}, false
	}
	return m.Fields[i], true
}

// CopyInto makes dst a copy of m. Fields and unions are shared, since they are
// immutable. A nil dst is left alone.
func (m *Map) CopyInto(dst *Map) {
	if dst == nil {
		return
	}
	dst.Fields = m.Fields
	dst.Unions = m.Unions
	dst.ElementType = m.ElementType
	dst.ElementRelationship = m.ElementRelationship
	dst.ElementDefault = m.ElementDefault
	dst.Required = m.Required
	dst.UnknownFields = m.UnknownFields
	dst.index.Store(m.index.Load())
}

// StructField is one declared field of a Map.
type StructField struct {
	Name string  `yaml:"name,omitempty"`
	Type TypeRef `yaml:"type,omitempty"`
	// Default stands for the field when it is absent. Nil if there is none.
	Default interface{} `yaml:"default,omitempty"`
}

// Union is a group of fields of which one is meant to be set.
type Union struct {
	// Discriminator is the name of the field that says which one is set.
	Discriminator *string `yaml:"discriminator,omitempty"`

	// DeduceInvalidDiscriminator says that the discriminator follows from the
	// field that is set. It is carried, not acted upon: nobody would own what is
	// deduced.
	DeduceInvalidDiscriminator bool `yaml:"deduceInvalidDiscriminator,omitempty"`

	// Fields are the members, without the discriminator.
	Fields []UnionField `yaml:"fields,omitempty"`
}

// UnionField is a member of a Union.
type UnionField struct {
	FieldName string `yaml:"fieldName"`
	// DiscriminatorValue is the discriminator's value when this member is set.
	DiscriminatorValue string `yaml:"discriminatorValue"`
}

// List is a list.
type List struct {
	// ElementType is the type of the items.
	ElementType TypeRef `yaml:"elementType,omitempty"`

	// ElementRelationship is Atomic or Associative; there is no default.
	ElementRelationship ElementRelationship `yaml:"elementRelationship,omitempty"`

	// Keys name the fields that together identify an item of an associative
	// list of maps. An associative list without keys is a set of scalars.
	Keys []string `yaml:"keys,omitempty"`

	// ElementDefault stands for an item that is null without being nullable.
	// Nil if there is none.
	ElementDefault interface{} `yaml:"elementDefault,omitempty"`
}

// Transition is a transition rule: what an update may not do to a value, as the KEP
// "Immutable fields" (KEP-1101) has it. NoTransition: it may do anything. Only
// [typed.TypedValue.CheckTransition] asks.
//
// A field is held to its rule while the value around it stays: that may come and go
// as a whole, if it has no rule itself. So may items of a list and values of a map.
//
// [typed.TypedValue.CheckTransition]: https://pkg.go.dev/github.com/dovetail-ssa/dovetail/typed#TypedValue.CheckTransition
type Transition uint8

// The transition rules.
const (
	// NoTransition says nothing: an update may do anything.
	NoTransition Transition = iota
	// Immutable values, with all that is below them, are neither changed, nor
	// removed, nor set.
	Immutable
	// ImmutableKeys fixes which entries a map has, or which items an associative
	// list; what they are may change.
	ImmutableKeys
	// AdditionOnly lets a map or an associative list gain entries but not lose
	// them.
	AdditionOnly
	// DeletionOnly lets it lose entries but not gain them.
	DeletionOnly
	// SetOnce values may be set where there is none, or null, and are Immutable
	// from then on.
	SetOnce
)

// Transitions returns all transition rules but NoTransition.
func Transitions() []Transition {
	rules := graph.Transitions()
	all := make([]Transition, len(rules))
	for i, t := range rules {
		all[i] = Transition(t)
	}
	return all
}

// Extension returns the keyword by which a schema of an OpenAPI document or a CRD says
// the rule, x-kubernetes-immutable for Immutable. Its one value is true. It is empty for
// NoTransition.
func (t Transition) Extension() string { return t.rule().Extension }

func (t Transition) rule() *graph.TransitionRule { return graph.Transition(t).Rule() }

// wantTransition says which spellings there are.
var wantTransition = func() string {
	var names []string
	for _, t := range Transitions() {
		names = append(names, t.String())
	}
	last := len(names) - 1
	return "want " + strings.Join(names[:last], ", ") + " or " + names[last]
}()

// String returns the spelling, which is empty for NoTransition.
func (t Transition) String() string {
	if name := t.rule().Name; name != "" || t == NoTransition {
		return name
	}
	return strconv.Itoa(int(t))
}

// MarshalText returns the spelling, for YAML and JSON.
func (t Transition) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a transition and refuses other spellings: one that is not
// understood would let everything change.
func (t *Transition) UnmarshalText(text []byte) error {
	for _, rule := range append(Transitions(), NoTransition) {
		if string(text) == rule.String() {
			*t = rule
			return nil
		}
	}
	return fmt.Errorf("transition: %s, found %q", wantTransition, text)
}
