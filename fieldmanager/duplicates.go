// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/internal/sent"
	"github.com/dovetail-ssa/dovetail/typed"
)

// deduplicate removes duplicate list items from object if Options.Duplicates is KeepFirst or
// KeepLast. It adds a warning for each removed item, and also returns the object with its
// type.
func (r *request) deduplicate(t typed.ParseableType, object map[string]any, opts ...typed.ValidationOptions) (map[string]any, *typed.TypedValue, error) {
	object, tv, warnings, err := sent.Single(t, object, r.m.o.Duplicates, opts...)
	r.warnings = append(r.warnings, warnings...)
	return object, tv, err
}
