// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
)

func isUndeclared(e typed.ValidationError) bool {
	f := diag.Of(e)
	return f != nil && f.Code == diag.Undeclared
}

// splitUnknown returns the fields that a validation found not to be declared, and
// what else it found.
func splitUnknown(err error) (unknown typed.ValidationErrors, left error) {
	var all, others typed.ValidationErrors
	if !errors.As(err, &all) {
		return nil, err
	}
	for _, e := range all {
		if isUndeclared(e) {
			unknown = append(unknown, e)
		} else {
			others = append(others, e)
		}
	}
	if len(others) > 0 {
		left = others
	}
	return unknown, left
}

// butCarried is what is wrong with the object of an update that sends back unknown
// fields of the live object.
func butCarried(err error, carried map[string]bool) error {
	unknown, left := splitUnknown(err)
	unknown = slices.DeleteFunc(unknown, func(e typed.ValidationError) bool { return carried[diag.Place(e.Path)] })
	if len(unknown) == 0 {
		return left
	}
	var others typed.ValidationErrors
	errors.As(left, &others)
	return slices.Concat(unknown, others)
}

// fromWhere says of fields that are not declared whose they are, and by which
// schema. errs are the findings of err.
func (m *requester) fromWhere(o *outcome, errs manifest.Errors, where string, err error) manifest.Errors {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return errs
	}
	id := o.object.Identity()
	for i, e := range all {
		if isUndeclared(e) && i < len(errs) {
			errs[i].Message += fmt.Sprintf(" (in the %s; schema of %s)", where, m.types.describe(id.APIVersion, id.Kind))
		}
	}
	return errs
}

// describe names the schema of a kind.
func (t *types) describe(apiVersion, kind string) string {
	name := apiVersion + " " + kind
	if t.fixed != nil {
		return fmt.Sprintf("%s: type %s of %s", name, *t.fixed.TypeRef.NamedType, strings.Join(t.searched, ", "))
	}
	k, ok := t.catalog.Kind(apiVersion, kind)
	if !ok {
		return name
	}
	return name + " in " + cmp.Or(k.Source, "Kubernetes "+t.catalog.Release())
}
