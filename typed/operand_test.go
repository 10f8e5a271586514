// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/typed"
	"slices"
)

// operandOf converts tv to the type that the internal packages of this module use.
func operandOf(tv *typed.TypedValue) *operand.Value { return (*operand.Value)(tv) }

func overlaid(a, b *typed.TypedValue) (out *typed.TypedValue, changed bool, err error) {
	o, changed, found := operandOf(a).Overlay(operandOf(b))
	if found != nil {
		return nil, changed, found
	}
	return (*typed.TypedValue)(o), changed, nil
}

func fieldSet(tv *typed.TypedValue, prev *fieldpath.Set) (*fieldpath.Set, error) {
	set, found := operandOf(tv).FieldSet(prev)
	if found != nil {
		return nil, found
	}
	return set, nil
}

// successor returns object as a value that replaces old. If object is invalid, it returns the
// validation error. The validation of object may use facts about old.
func successor(old *typed.TypedValue, object any, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	o, known := operandOf(old).Successor(object, slices.Contains(opts, typed.AllowDuplicates))
	next := (*typed.TypedValue)(o)
	if known {
		return next, nil
	}
	if err := next.Validate(opts...); err != nil {
		return nil, err
	}
	return next, nil
}
