// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/internal/sent"
	"github.com/dovetail-ssa/dovetail/typed"
)

// validateSent validates object, which the request contains, as a value of type t. It returns the
// object as plain data and with its type. If Options.Duplicates is KeepFirst or KeepLast, it
// removes duplicate list items after the validation, and adds a warning for each. An invalid value
// in such an item is therefore an error. With RefuseDuplicates, duplicates are valid only if opts
// allow them.
func (r *request) validateSent(t typed.ParseableType, object map[string]any, opts ...typed.ValidationOptions) (map[string]any, *typed.TypedValue, error) {
	object, tv, warnings, err := sent.Single(t, object, r.m.options.Duplicates, opts...)
	r.warnings = append(r.warnings, warnings...)
	return object, tv, err
}
