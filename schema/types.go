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
	// Name is the name that references use. If two types have the same name, references use
	// the last one.
	Name string `yaml:"name,omitempty"`

	Atom `yaml:"atom,omitempty,inline"`

	// Default is the value of an absent field of this type, unless the field has its own
	// default. It is nil if there is no default.
	Default interface{} `yaml:"default,omitempty"`

	// Transition restricts updates of values of this type, unless the reference to the
	// type has its own Transition.
	Transition Transition `yaml:"transition,omitempty"`
}

// TypeRef refers to a type, by name or inlined.
type TypeRef struct {
	// NamedType is the name of the type. If it is set, Inlined is ignored.
	NamedType *string `yaml:"namedType,omitempty"`
	Inlined   Atom    `yaml:",inline,omitempty"`

	// ElementRelationship, if not nil, overrides the relationship of the map or list.
	ElementRelationship *ElementRelationship `yaml:"elementRelationship,omitempty"`

	// Nullable allows null as a value, like `nullable: true` in OpenAPI.
	Nullable bool `yaml:"nullable,omitempty"`

	// Transition restricts updates of the value. If it is set, it overrides the Transition of
	// the type.
	Transition Transition `yaml:"transition,omitempty"`
}

// Atom is a type without a name. If several fields are set, the type allows values of each of
// these kinds.
type Atom struct {
	*Scalar `yaml:"scalar,omitempty"`
	*List   `yaml:"list,omitempty"`
	*Map    `yaml:"map,omitempty"`
}

// QuantityType is the name of the type for quantities in Kubernetes schemas. A quantity is an
// untyped scalar, and the same quantity has several spellings, such as 1 and 1000m. Package
// kube/openapi also uses this type for custom resource fields that accept an int or a string in
// the format of a quantity.
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

// ElementRelationship defines how a list or map is merged, and whether managers own its entries
// separately.
type ElementRelationship string

const (
	// Associative lists identify items by their keys, or by their value if the list is a
	// set. Managers own the items separately.
	Associative ElementRelationship = "associative"
	// Atomic lists and maps are owned and replaced as a whole.
	Atomic ElementRelationship = "atomic"
	// Separable maps are merged field by field, and managers own the fields separately.
	// It is the default for maps.
	Separable ElementRelationship = "separable"
)

// IsAtomic reports whether a list or map is owned and replaced as a whole.
func (r ElementRelationship) IsAtomic() bool { return relations[r].IsAtomic() }

// IsAssociative reports whether the items of a list are identified by keys or values, and
// owned separately.
func (r ElementRelationship) IsAssociative() bool { return relations[r].IsAssociative() }

// Map is the type of a map or a struct.
type Map struct {
	// Fields contains the declared fields. If several fields have the same name, the last one is
	// used.
	Fields []StructField `yaml:"fields,omitempty"`

	// Unions has groups of fields. Only one field of each group may be set. Merging and
	// validation ignore unions. When a request selects a field of a union,
	// typed.TypedValue.NormalizeUnions clears the other fields. Package fieldmanager does the
	// same if Options.Unions is set.
	Unions []Union `yaml:"unions,omitempty"`

	// ElementType is the type of undeclared fields. The zero value allows no undeclared
	// fields.
	ElementType TypeRef `yaml:"elementType,omitempty"`

	// ElementRelationship is Separable or Atomic. The empty string means Separable.
	ElementRelationship ElementRelationship `yaml:"elementRelationship,omitempty"`

	// ElementDefault is the default that replaces null in an undeclared field, unless
	// ElementType is nullable. It is nil if there is no default.
	ElementDefault interface{} `yaml:"elementDefault,omitempty"`

	// Required contains the names of required fields. Validation does not report a missing
	// field. Package kube/openapi reads Required to check definitions.
	Required []string `yaml:"required,omitempty"`

	// UnknownFields determines which undeclared fields are removed by pruning. If it is empty or
	// not one of the constants, pruning keeps undeclared fields if and only if the map has an
	// ElementType. If a type allows any value and prunes all fields, pruning treats the items of
	// its lists as untyped.
	//
	// UnknownFields affects only pruning and defaulting. A type that allows any value normally also
	// accepts null. If UnknownFields is set, such a type accepts null only if it is also Nullable,
	// as in custom resources.
	UnknownFields UnknownFieldPolicy `yaml:"unknownFields,omitempty"`

	index atomic.Pointer[index]
}

// FindField returns the declared field with the given name, and whether it exists. It is safe for
// concurrent use.
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

// CopyInto makes dst a copy of m. The copy shares fields and unions, which are immutable. If dst
// is nil, CopyInto does nothing.
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
	// Default is the value that stands for an absent field. It is nil if the field has no
	// default.
	Default interface{} `yaml:"default,omitempty"`
}

// Union is a group of fields. Only one field of the group may be set.
type Union struct {
	// Discriminator is the name of the field that selects the member.
	Discriminator *string `yaml:"discriminator,omitempty"`

	// DeduceInvalidDiscriminator asks for the discriminator to be deduced from the member that
	// is set. This module preserves the setting but ignores it, because nobody would own the
	// deduced value.
	DeduceInvalidDiscriminator bool `yaml:"deduceInvalidDiscriminator,omitempty"`

	// Fields lists the members. The discriminator is not a member.
	Fields []UnionField `yaml:"fields,omitempty"`
}

// UnionField is a member of a Union.
type UnionField struct {
	FieldName string `yaml:"fieldName"`
	// DiscriminatorValue is the value of the discriminator that selects this member.
	DiscriminatorValue string `yaml:"discriminatorValue"`
}

// List is the type of a list.
type List struct {
	// ElementType is the type of the items.
	ElementType TypeRef `yaml:"elementType,omitempty"`

	// ElementRelationship is Atomic or Associative. There is no default.
	ElementRelationship ElementRelationship `yaml:"elementRelationship,omitempty"`

	// Keys contains the names of the fields that together identify an item of an associative
	// list of maps. An associative list without keys is a set.
	Keys []string `yaml:"keys,omitempty"`

	// ElementDefault is the default that replaces a null item, unless ElementType is nullable.
	// It is nil if there is no default.
	ElementDefault interface{} `yaml:"elementDefault,omitempty"`
}

// Transition is a transition rule, which restricts updates of a value, as described in the KEP
// "Immutable fields" (KEP-1101). A merge does not enforce it. [typed.TypedValue.CheckTransition]
// does, and so does a FieldManager with the option CheckTransitions.
//
// The rule of a field applies if the map that contains the field exists before and after the
// update. An update can add or remove the whole map, unless the map has a rule itself. The same
// holds for rules of list items and map values.
//
// [typed.TypedValue.CheckTransition]: https://pkg.go.dev/github.com/dovetail-ssa/dovetail/typed#TypedValue.CheckTransition
type Transition uint8

// These are the rules that a schema can set.
const (
	// NoTransition allows all updates.
	NoTransition Transition = iota
	// Immutable forbids setting, changing or removing the value or anything below it.
	Immutable
	// ImmutableKeys forbids adding or removing entries of a map or items of an
	// associative list with keys. The content of the entries and items may change.
	ImmutableKeys
	// AdditionOnly forbids removing entries of a map or items of an associative list.
	AdditionOnly
	// DeletionOnly forbids adding entries of a map or items of an associative list.
	DeletionOnly
	// SetOnce allows setting the value if it is absent or null, and has no default. Once set, the
	// value is Immutable.
	SetOnce
)

// Transitions returns all transition rules except NoTransition.
func Transitions() []Transition {
	rules := graph.Transitions()
	all := make([]Transition, len(rules))
	for i, t := range rules {
		all[i] = Transition(t)
	}
	return all
}

// Extension returns the keyword that sets the rule in OpenAPI documents and CRDs, for example
// x-kubernetes-immutable for Immutable. The value of the keyword is true. Extension returns ""
// for NoTransition.
func (t Transition) Extension() string { return t.rule().Extension }

func (t Transition) rule() *graph.TransitionRule { return graph.Transition(t).Rule() }

// expectedTransition lists the names of all rules, for error messages.
var expectedTransition = func() string {
	var names []string
	for _, t := range Transitions() {
		names = append(names, t.String())
	}
	last := len(names) - 1
	return "expected " + strings.Join(names[:last], ", ") + " or " + names[last]
}()

// String returns the name of the rule in YAML, such as "setOnce". It returns "" for
// NoTransition.
func (t Transition) String() string {
	if name := t.rule().Name; name != "" || t == NoTransition {
		return name
	}
	return strconv.Itoa(int(t))
}

// MarshalText returns the name of the rule, for YAML and JSON.
func (t Transition) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads the name of a rule. An unknown name is an error, because ignoring it would
// allow all updates.
func (t *Transition) UnmarshalText(text []byte) error {
	for _, rule := range append(Transitions(), NoTransition) {
		if string(text) == rule.String() {
			*t = rule
			return nil
		}
	}
	return fmt.Errorf("transition: %s, got %q", expectedTransition, text)
}
