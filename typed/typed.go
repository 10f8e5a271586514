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

// ValidationOptions are options of functions that validate a value.
type ValidationOptions int

const (
	// AllowDuplicates makes a set or an associative list valid even if several items have the
	// same identity.
	AllowDuplicates ValidationOptions = iota
)

// TypedValue is a value with its type. It is immutable and safe for concurrent use, as long
// as nobody modifies the data that it was created from.
type TypedValue operandValue

// operandValue is the type that the internal packages of this module use for a value.
type operandValue = operand.Value

// operand converts tv to the type that the internal packages of this module use. The function
// typedOf converts it back.
func (tv *TypedValue) operand() *operand.Value { return (*operand.Value)(tv) }

func typedOf(o *operand.Value) *TypedValue { return (*TypedValue)(o) }

// AsTyped returns v as a value of the type typeRef in s. It returns ValidationErrors if v is not
// valid.
func AsTyped(v value.Value, s *schema.Schema, typeRef schema.TypeRef, opts ...ValidationOptions) (*TypedValue, error) {
	tv := AsTypedUnvalidated(v, s, typeRef)
	if err := tv.Validate(opts...); err != nil {
		return nil, err
	}
	return tv, nil
}

// AsTypedUnvalidated is like AsTyped, but does not validate v. Use it for values that are known
// to be valid. If v is invalid, a later operation returns an error when it reaches the invalid
// field. If v is nested deeper than 10,000 levels, ToFieldSet, Merge and Compare return an error.
func AsTypedUnvalidated(v value.Value, s *schema.Schema, typeRef schema.TypeRef) *TypedValue {
	return typedOf(operand.New(v, s, typeRef))
}

// TypeRef returns a reference to the type.
func (tv TypedValue) TypeRef() schema.TypeRef { return tv.operand().TypeRef() }

// AsValue returns the value.
func (tv TypedValue) AsValue() value.Value { return tv.operand().AsValue() }

// Schema returns the schema of the type.
func (tv TypedValue) Schema() *schema.Schema { return tv.operand().Schema() }

// Empty returns a TypedValue of the same type that holds null.
func (tv TypedValue) Empty() *TypedValue {
	return AsTypedUnvalidated(value.NewValueInterface(nil), tv.Schema(), tv.TypeRef())
}

// Validate returns the errors about the value as ValidationErrors. It returns nil if the
// value is valid.
func (tv TypedValue) Validate(opts ...ValidationOptions) error {
	findings := tv.operand().Validate(slices.Contains(opts, AllowDuplicates))
	if findings == nil {
		return nil
	}
	return errorsIn(findings, ParseableType{TypeRef: tv.TypeRef(), Schema: tv.Schema()})
}

// ToFieldSet returns the paths that the value sets. A manager that applies the value owns these
// paths. It returns an error only if the schema lacks a type, or if an unvalidated value is nested
// too deep or has a field that its type does not allow.
func (tv TypedValue) ToFieldSet() (*fieldpath.Set, error) {
	set, findings := tv.operand().FieldSet(nil)
	if findings != nil {
		return nil, errorsOf(findings)
	}
	return set, nil
}

// Merge merges pso, an applied configuration, into the value and returns the result. Both values
// must have the same type of the same schema. Merge removes nothing: the result has all fields and
// items of both values. If both have a scalar or atomic value at a path, the result has the value
// of pso. Items that exist in both are in the order of pso.
//
// Defaults are used to identify items, but are not filled in. If TCP is the default of the key
// protocol, {port: 80} and {port: 80, protocol: TCP} are the same item. If neither value sets the
// protocol, the result does not set it. Call Default to fill in defaults. A null in pso replaces a
// scalar, an atomic value, or an empty map or list. It does not replace a map or list that has entries
// and is merged item by item.
//
// With declarative defaults (schema.Schema.DeclarativeDefaults), null is a value only if the type is
// nullable. If the type is not nullable, a null key is a missing key, and any other null in pso stands
// for the default. If there is no default, the result keeps the live value. The result also keeps the
// live value in two other cases: if null is applied to an empty map or list that is not atomic, and if
// an atomic list or map differs from the value in pso only by defaults.
//
// Maps and lists that are merged item by item are new in the result. Leaves, including atomic maps and
// lists, are shared with tv and pso. Merge returns ValidationErrors if two items of pso have the same
// identity, if an item has no identity, if a type is missing, or if the two types differ.
func (tv TypedValue) Merge(pso *TypedValue) (*TypedValue, error) {
	out, findings := tv.operand().Merge(pso.operand())
	return typedOf(out), errorsOf(findings)
}

// Compare returns the differences between the value and rhs. Both must have the same type of the
// same schema. A missing list key counts as its default. With declarative defaults, absent, null
// and the default of a field are equivalent. Compare returns the same errors as Merge, with one
// exception: items with the same identity are not an error, and Compare treats them together as
// one leaf.
//
// Compare ignores the order of items in associative lists. It also ignores a difference at the root,
// which has no path, for example between two scalars. So two different values can have an empty
// Comparison.
func (tv TypedValue) Compare(rhs *TypedValue) (c *Comparison, err error) {
	d, findings := tv.operand().Compare(rhs.operand())
	if findings != nil {
		return nil, errorsOf(findings)
	}
	return (*Comparison)(d), nil
}

// RemoveItems returns the value without the given paths and everything below them. The result is a new
// map or list that shares unchanged parts with the value. A map or list that loses all its entries
// becomes null. An atomic map or list becomes null if the set items has any path inside it. If the
// value itself is atomic or empty, it becomes null even if the set is empty.
//
// With declarative defaults, a map or list that loses all its entries becomes empty instead of null. An
// atomic map or list inside the value is removed instead of set to null. A value that is itself empty
// stays. A value that is itself atomic and not empty becomes null.
func (tv TypedValue) RemoveItems(items *fieldpath.Set) *TypedValue {
	return typedOf(tv.operand().Without(items))
}

// RemoveKeepingKeys is like RemoveItems, but each remaining item keeps its keys. If an item lost its
// keys, its identity would change, and merging the result back would add a second item. If the set
// items contains the path of a list item itself, the whole item is removed, including its keys.
func (tv TypedValue) RemoveKeepingKeys(items *fieldpath.Set) *TypedValue {
	if keys, _ := keysIn(items); keys != nil {
		items = items.Difference(keys)
	}
	return tv.RemoveItems(items)
}

// ReconcileFieldSetWithSchema converts fieldset to the schema of tv. If a list or map is atomic
// in this schema, its path replaces all paths below it. With declarative defaults, a path
// element that lacks a key also gets the key's default. ReconcileFieldSetWithSchema returns nil
// if nothing changes, and an error if the schema lacks a type. If tv itself is atomic, it
// returns a copy of fieldset.
func ReconcileFieldSetWithSchema(fieldset *fieldpath.Set, tv *TypedValue) (*fieldpath.Set, error) {
	out, findings := ownedset.Reconcile(tv.operand().Node(), fieldset)
	if findings != nil {
		return nil, fmt.Errorf("errors reconciling field set with schema: %s", errorsOf(findings))
	}
	return out, nil
}
