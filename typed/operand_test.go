// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/typed"
	"slices"
)

// in returns tv as the packages of this module see it.
func in(tv *typed.TypedValue) *operand.Value { return (*operand.Value)(tv) }

func overlaid(a, b *typed.TypedValue) (out *typed.TypedValue, changed bool, err error) {
	o, changed, found := in(a).Overlay(in(b))
	if found != nil {
		return nil, changed, found
	}
	return (*typed.TypedValue)(o), changed, nil
}

func fieldSet(tv *typed.TypedValue, prev *fieldpath.Set) (*fieldpath.Set, error) {
	set, found := in(tv).FieldSet(prev)
	if found != nil {
		return nil, found
	}
	return set, nil
}

// follow returns the value that is to take the place of old, or what is wrong with it.
func follow(old *typed.TypedValue, object any, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	o, known := in(old).Successor(object, slices.Contains(opts, typed.AllowDuplicates))
	next := (*typed.TypedValue)(o)
	if known {
		return next, nil
	}
	if err := next.Validate(opts...); err != nil {
		return nil, err
	}
	return next, nil
}
