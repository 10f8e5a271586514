// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Lenient returns a type like t that allows undeclared fields (see schema.Schema.Lenient).
func Lenient(t typed.ParseableType) typed.ParseableType {
	t.Schema, t.TypeRef = t.Schema.Lenient(t.TypeRef)
	return t
}

// UndeclaredFields returns the findings of a failed validation, if all of them are about
// undeclared fields. Otherwise it returns nil. err is the error of the validation, and may be
// nil.
func UndeclaredFields(err error) []*diag.Finding {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return nil
	}
	found := make([]*diag.Finding, 0, len(all))
	for i := range all {
		f := diag.Of(all[i])
		if f == nil || f.Code != diag.Undeclared {
			return nil
		}
		found = append(found, f)
	}
	return found
}

// Undeclared returns an error for each field of an object that its type does not declare.
func Undeclared(object map[string]any, t typed.ParseableType) typed.ValidationErrors {
	_, err := t.FromUnstructured(object, typed.AllowDuplicates)
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(e typed.ValidationError) bool {
		f := diag.Of(e)
		return f == nil || f.Code != diag.Undeclared
	})
}

// UndeclaredAfter returns an error for each field that a conversion has made undeclared. The
// argument to is the type of the converted object, and from returns the type of the original
// object. A field that the original type does not declare either may come from a newer schema,
// so it causes no error.
func UndeclaredAfter(converted map[string]any, to typed.ParseableType, original map[string]any, from func() (typed.ParseableType, error)) typed.ValidationErrors {
	unknown := Undeclared(converted, to)
	if len(unknown) == 0 {
		return nil
	}
	t, err := from()
	if err != nil {
		return nil
	}
	before := map[string]bool{}
	for _, e := range Undeclared(original, t) {
		before[e.Path] = true
	}
	return slices.DeleteFunc(unknown, func(e typed.ValidationError) bool { return before[e.Path] })
}
