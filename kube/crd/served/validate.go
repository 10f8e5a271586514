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

// Validate returns what a server refuses of an object that is to be stored in place of live, nil if
// there is none: in a custom resource whatever its definition forbids, and in a built-in kind what may
// not change. What else is wrong with values of built-in kinds it does not know. subresource is that of
// the request. Neither object is written to. It fails if an object is not of its type.
func (t *Types) Validate(object, live map[string]any, subresource string) (field.ErrorList, error) {
	apiVersion, kind := document.TypeOf(object)
	v, custom := t.Version(apiVersion, kind)
	switch {
	case custom && v != nil:
		if live != nil {
			live = document.WithoutManagedFields(live)
		}
		found, err := v.Validate(document.WithoutManagedFields(object), live)
		return fieldErrors(found), err
	case custom || live == nil || subresource != "" || t.immutable == nil:
		return nil, nil
	}
	of, ok := t.Type(apiVersion, kind)
	if !ok {
		return nil, nil
	}
	found, err := t.immutable.Check(of, live, object)
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

// withoutValues are the errors of a Secret or a ConfigMap that is immutable as a server answers them: one
// for each field of the object, without what is in it.
func withoutValues(errs field.ErrorList) (all field.ErrorList) {
	said := map[string]bool{}
	for _, err := range errs {
		name, rest, _ := strings.Cut(strings.ReplaceAll(err.Field, "[", "."), ".")
		switch {
		case rest == "" && name == "type":
			all = append(all, err)
		case !said[name]:
			said[name] = true
			all = append(all, field.Forbidden(field.NewPath(name), err.Detail))
		}
	}
	return all
}

// fieldErrors are findings in a custom resource as a server answers them.
func fieldErrors(found crd.Findings) (errs field.ErrorList) {
	for _, f := range found {
		if f.Rule == crd.ObjectUnknown || f.Rule == crd.ObjectUnchecked {
			continue
		}
		e := f.Served
		if e == nil {
			e = &field.Error{Type: field.ErrorTypeInvalid, Field: strings.TrimPrefix(f.Path, "."), BadValue: field.OmitValueType{}, Detail: f.Message}
		}
		errs = append(errs, e)
	}
	return errs
}
