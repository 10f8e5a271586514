// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Lenient is t with fields that it does not know; see schema.Schema.Lenient.
func Lenient(t typed.ParseableType) typed.ParseableType {
	t.Schema, t.TypeRef = t.Schema.Lenient(t.TypeRef)
	return t
}

// Unknown returns the fields that a validation found not to be declared, nil if
// it found nothing or anything else.
func Unknown(err error) []*diag.Finding {
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
