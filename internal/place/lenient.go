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

// OnlyUndeclaredFields returns the findings of a failed validation, if all of them are about
// undeclared fields. Otherwise it returns nil. err is the error of the validation, and may be
// nil.
func OnlyUndeclaredFields(err error) []*diag.Finding {
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

// UndeclaredAfter returns an error for each undeclared field of a converted object. It ignores
// fields that were already undeclared in the original object, because these may come from a newer
// schema. If originalType fails, it returns nil.
func UndeclaredAfter(converted map[string]any, convertedType typed.ParseableType, original map[string]any, originalType func() (typed.ParseableType, error)) typed.ValidationErrors {
	unknown := Undeclared(converted, convertedType)
	if len(unknown) == 0 {
		return nil
	}
	t, err := originalType()
	if err != nil {
		return nil
	}
	before := map[string]bool{}
	for _, e := range Undeclared(original, t) {
		before[e.Path] = true
	}
	return slices.DeleteFunc(unknown, func(e typed.ValidationError) bool { return before[e.Path] })
}
