// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// ValidationOptions change what is valid.
type ValidationOptions int

const (
	// AllowDuplicates lets items of sets and of associative lists share an
	// identity.
	AllowDuplicates ValidationOptions = iota
)

// TypedValue is a value and its type. It is immutable as long as nobody changes
// the value it was made from, and then safe for concurrent use.
type TypedValue operandValue

// operandValue is a TypedValue as the packages of this module see it.
type operandValue = operand.Value

// in returns tv as the packages of this module see it, of() the other way round.
func (tv *TypedValue) in() *operand.Value { return (*operand.Value)(tv) }

func of(o *operand.Value) *TypedValue { return (*TypedValue)(o) }

// AsTyped returns v as a value of a type of s. It fails with ValidationErrors
// if v is not valid.
func AsTyped(v value.Value, s *schema.Schema, typeRef schema.TypeRef, opts ...ValidationOptions) (*TypedValue, error) {
	tv := AsTypedUnvalidated(v, s, typeRef)
	if err := tv.Validate(opts...); err != nil {
		return nil, err
	}
	return tv, nil
}

// AsTypedUnvalidated is AsTyped for values that are known to be valid, or that
// are not meant to be.
func AsTypedUnvalidated(v value.Value, s *schema.Schema, typeRef schema.TypeRef) *TypedValue {
	return of(operand.New(v, s, typeRef))
}

// TypeRef returns the type.
func (tv TypedValue) TypeRef() schema.TypeRef { return tv.in().TypeRef() }

// AsValue returns the value.
func (tv TypedValue) AsValue() value.Value { return tv.in().AsValue() }

// Schema returns the schema of the type.
func (tv TypedValue) Schema() *schema.Schema { return tv.in().Schema() }

// Empty returns a null of the same type.
func (tv TypedValue) Empty() *TypedValue {
	return AsTypedUnvalidated(value.NewValueInterface(nil), tv.Schema(), tv.TypeRef())
}

// Validate returns what is wrong with the value as ValidationErrors, nil if
// nothing is.
func (tv TypedValue) Validate(opts ...ValidationOptions) error {
	found := tv.in().Validate(slices.Contains(opts, AllowDuplicates))
	if found == nil {
		return nil
	}
	return errorsIn(found, ParseableType{TypeRef: tv.TypeRef(), Schema: tv.Schema()})
}

// ToFieldSet returns the paths that the value sets: what an applier of it owns.
// It fails only if the schema lacks a type.
func (tv TypedValue) ToFieldSet() (*fieldpath.Set, error) {
	set, found := tv.in().FieldSet(nil)
	if found != nil {
		return nil, errorsOf(found)
	}
	return set, nil
}

// Merge returns the value with pso, an applied configuration, laid over it. Both must be
// of one type of one schema. Fields and items of pso win; what only one of them has
// stays: Merge takes nothing out. Items that both have are in the order of pso.
//
// Defaults decide what is the same item, and fill in nothing: with the default TCP of the
// key protocol, {port: 80} and {port: 80, protocol: TCP} are one item, and where neither
// side writes the protocol the result has none. See Default for that. Null is a value that
// wins, but leaves a container that is merged item by item as it is.
//
// With declarative defaults (schema.Schema.DeclarativeDefaults), null is a value only
// where the type is nullable: a key that is null is a missing key, and another null of pso
// stands for the default, or leaves what is there if there is none. An atomic list or map
// of pso that differs from the one there in defaults only leaves it as it is written.
//
// Containers that are merged item by item are new in the result; leaves, atomic
// containers among them, are shared with tv and pso. The errors are ValidationErrors: two
// items of pso with one identity, an item without one, a type that is missing, values of
// different types.
func (tv TypedValue) Merge(pso *TypedValue) (*TypedValue, error) {
	out, found := tv.in().Merge(pso.in())
	return of(out), errorsOf(found)
}

// Compare returns how rhs differs from the value. Both must be of one type of
// one schema. Keys that are missing have their defaults; with declarative defaults
// absent, null and the default of any field are the same. Errors are those of Merge.
func (tv TypedValue) Compare(rhs *TypedValue) (c *Comparison, err error) {
	d, found := tv.in().Compare(rhs.in())
	if found != nil {
		return nil, errorsOf(found)
	}
	return (*Comparison)(d), nil
}

// RemoveItems returns the value without the given paths and what is below them.
// The result is a new map or list; what no path leads to is shared. A container that
// loses all it had becomes null; with declarative defaults it stays, empty.
func (tv TypedValue) RemoveItems(items *fieldpath.Set) *TypedValue {
	return of(tv.in().Without(items))
}

// RemoveKeepingKeys is RemoveItems that takes no key from an item which stays: the
// item would be another one, and merging the result back would make two of it. The
// keys of an item go with it when items has the item itself.
func (tv TypedValue) RemoveKeepingKeys(items *fieldpath.Set) *TypedValue {
	if keys, _ := keysIn(items); keys != nil {
		items = items.Difference(keys)
	}
	return tv.RemoveItems(items)
}

// ReconcileFieldSetWithSchema returns fieldset as it reads under the schema of
// tv: what it has below a container that is atomic there becomes the container.
// It returns nil if nothing changes, and an error if the schema lacks a type.
func ReconcileFieldSetWithSchema(fieldset *fieldpath.Set, tv *TypedValue) (*fieldpath.Set, error) {
	out, found := ownedset.Reconcile(tv.in().Node(), fieldset)
	if found != nil {
		return nil, fmt.Errorf("errors reconciling field set with schema: %s", errorsOf(found))
	}
	return out, nil
}
