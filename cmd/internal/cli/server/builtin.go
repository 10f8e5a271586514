// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// refuseBuiltin tells what an API server does not let a request change of a built-in
// object. Subresources have rules of their own.
func (m *Requester) refuseBuiltin(o *Outcome) {
	result := cmp.Or(o.Result, o.Preview)
	if result == nil || o.Live == nil || m.subresource != "" {
		return
	}
	o.Immutable = append(o.Immutable, ForbiddenBuiltin(m.Types, o, result.Object)...)
	if len(o.Immutable) > 0 && o.Result != nil {
		o.Preview, o.Result = o.Result, nil
	}
}

// ForbiddenBuiltin is what an API server refuses of an update of the live object of o, one of
// a built-in kind, to another one; nothing of other kinds.
func ForbiddenBuiltin(t *sources.Types, o *Outcome, object map[string]any) (fixed []fieldmanager.ImmutableField) {
	id := o.Object.Identity()
	if t.Immutability() == nil || !t.Builtin(id.APIVersion, id.Kind) {
		return nil
	}
	// What does not have its type is wrong in another way, and told already.
	found, _ := t.Immutability().Check(o.Type, unstructured.SecretAsStored(o.Before), unstructured.SecretAsStored(object))
	for _, f := range found {
		fixed = append(fixed, fieldmanager.ImmutableField{TransitionError: f.TransitionError, Hint: f.Hint})
	}
	return fixed
}
