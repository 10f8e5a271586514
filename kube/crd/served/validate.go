// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package served

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Validate returns the errors that a server would return for a request that replaces live with
// object. It returns nil if the server would accept the request. The argument live is nil for a new
// object. subresource is the subresource of the request.
//
// For a custom resource, Validate checks everything that its definition requires, and returns the
// errors in the server's order. For a built-in kind, it reports only changes of immutable fields.
//
// Validate changes neither object. It returns an error if an object does not match its type.
func (t *Types) Validate(object, live map[string]any, subresource string) (field.ErrorList, error) {
	apiVersion, kind := document.TypeOf(object)
	v, custom := t.Version(apiVersion, kind)
	switch {
	case custom && v != nil:
		if live != nil {
			live = document.WithoutManagedFields(live)
		}
		return v.ServerErrors(document.WithoutManagedFields(object), live)
	case custom || live == nil || subresource != "" || t.immutable == nil:
		return nil, nil
	}
	parseable, ok := t.Type(apiVersion, kind)
	if !ok {
		return nil, nil
	}
	found, err := t.immutable.Check(parseable, live, object)
	var all typed.TransitionErrors
	for i := range found {
		all = append(all, found[i].TransitionError)
	}
	errs := crd.FieldErrors(all)
	if apiVersion == "v1" && (kind == "Secret" || kind == "ConfigMap") {
		errs = withoutValues(errs)
	}
	return errs, err
}

// withoutValues merges the errors about an immutable Secret or ConfigMap as a server does. The
// result has one error for each top-level field, such as data, and these errors do not contain the
// value of the field.
func withoutValues(errs field.ErrorList) (all field.ErrorList) {
	listed := map[string]bool{}
	for _, err := range errs {
		name, rest, _ := strings.Cut(strings.ReplaceAll(err.Field, "[", "."), ".")
		switch {
		case rest == "" && name == "type":
			all = append(all, err)
		case !listed[name]:
			listed[name] = true
			all = append(all, field.Forbidden(field.NewPath(name), err.Detail))
		}
	}
	return all
}
