// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Lenient returns t in a form that also allows undeclared fields (see schema.Schema.Lenient).
func Lenient(t typed.ParseableType) typed.ParseableType {
	t.Schema, t.TypeRef = t.Schema.Lenient(t.TypeRef)
	return t
}

// UndeclaredFields returns the findings about undeclared fields in err, the error of a
// validation. It returns nil if err is nil, or if it has any other finding.
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
