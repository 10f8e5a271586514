// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/typed"
)

// FieldErrors returns what an update may not do as the errors of fields that an API
// server answers with, in the same order: what its ValidateUpdate returns, besides
// what else it finds. Clients know the messages ("field is immutable").
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
