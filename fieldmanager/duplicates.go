// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/internal/sent"
	"github.com/dovetail-ssa/dovetail/typed"
)

// deduplicate removes duplicate items from object if Options.Duplicates selects this. It
// adds its warnings to the warnings of the request, and also returns the typed object.
func (r *request) deduplicate(t typed.ParseableType, object map[string]any, opts ...typed.ValidationOptions) (map[string]any, *typed.TypedValue, error) {
	object, tv, warnings, err := sent.Single(t, object, r.m.o.Duplicates, opts...)
	r.warnings = append(r.warnings, warnings...)
	return object, tv, err
}
