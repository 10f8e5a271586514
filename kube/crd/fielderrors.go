// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/typed"
)

// FieldErrors converts errs to the field errors that an API server returns. The order stays the same. A
// server that implements ValidateUpdate can return the field errors together with its own errors.
// Clients already know the messages of these field errors, such as "field is immutable".
func FieldErrors(errs typed.TransitionErrors) field.ErrorList {
	all := make(field.ErrorList, len(errs))
	for i, e := range errs {
		all[i] = &field.Error{Type: field.ErrorTypeForbidden, Field: e.Field, Detail: e.Message}
		if e.Type == typed.TransitionInvalid {
			all[i].Type = field.ErrorTypeInvalid
			if e.New != nil {
				all[i].BadValue = e.New.Unstructured()
			}
		}
	}
	return all
}
