// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// refuseBuiltin finds the changes to a built-in object that an API server forbids, and adds them to
// o.Immutable. It skips requests to subresources, because these have different rules. It also skips
// requests that the Go code of the Kubernetes release has already validated.
func (m *Requester) refuseBuiltin(o *Outcome) {
	result := cmp.Or(o.Result, o.Preview)
	if result == nil || o.Live == nil || m.subresource != "" || o.request != nil && o.request.NativeAnswered() {
		return
	}
	o.Immutable = append(o.Immutable, ForbiddenBuiltin(m.Types, o, result.Object)...)
	if len(o.Immutable) > 0 && o.Result != nil {
		o.Preview, o.Result = o.Result, nil
	}
}

// refuseNative records why the Go code of a Kubernetes release rejects an object. If every cause is
// a change of an immutable field, refuseNative adds these changes to o.Immutable. If there are
// other causes, it adds only those to o.Errors.
func (o *Outcome) refuseNative(e *predict.InvalidError) {
	if o.Live != nil && o.Maker != nil && o.Maker.subresource == "" {
		o.Immutable = ForbiddenBuiltin(o.Maker.Types, o, e.Object)
	}
	var left []predict.Cause
	for _, c := range e.Causes {
		path := identify(o.Type, e.Object, c.Field).String()
		if !slices.ContainsFunc(o.Immutable, func(f fieldmanager.ImmutableField) bool {
			fixed := f.Path.String()
			return strings.HasPrefix(fixed, path) || strings.HasPrefix(path, fixed)
		}) {
			left = append(left, c)
		}
	}
	if len(left) == 0 {
		o.Preview = &fieldmanager.Result{Object: e.Object, Changed: true}
		return
	}
	o.Immutable = nil
	o.noteInvalid(left, e.Object)
	if len(o.Errors) == 0 {
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v", e)}
	}
}

// ForbiddenBuiltin returns the immutable fields that would change if object replaced the live
// object of the outcome. If the object is not of a built-in kind, it returns nil.
func ForbiddenBuiltin(t *sources.Types, o *Outcome, object map[string]any) (fixed []fieldmanager.ImmutableField) {
	id := o.Object.Identity()
	if t.Immutability() == nil || !t.Builtin(id.APIVersion, id.Kind) {
		return nil
	}
	// Check fails only for values of a wrong type. Ignore this error, because another check has
	// already reported it.
	found, _ := t.Immutability().Check(o.Type, unstructured.SecretAsStored(o.Before), unstructured.SecretAsStored(object))
	for _, f := range found {
		fixed = append(fixed, fieldmanager.ImmutableField{TransitionError: f.TransitionError, Hint: f.Hint})
	}
	return fixed
}
