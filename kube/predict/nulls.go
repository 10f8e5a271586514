// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
)

// NullChecker is a Definition that knows which nulls may be stored. A Version of package
// kube/crd implements it.
type NullChecker interface {
	Definition
	// CheckNulls returns an error if a merged object has nulls that the server rejects. Nulls that
	// a default replaces are allowed. The error has the server's message about all other nulls. The
	// caller must first check that Default accepts the object. CheckNulls does not modify the
	// object.
	CheckNulls(object map[string]any) error
}

// NullError means that an apply merged nulls into fields of a custom resource that are not
// nullable. Either the config contains nulls, or the merge has emptied a list or map, for
// example by applying {} after {a: b}. A server removes nulls when it decodes an object,
// but not after a merge.
type NullError struct {
	Err *fieldmanager.RequestError
	// Checked is the error that CheckNulls returned.
	Checked error
}

func (e *NullError) Error() string { return e.Err.Error() }

func (e *NullError) Unwrap() error { return e.Err }

// checkNulls returns a *NullError if the server rejects nulls in the merged object of an
// apply. It ignores fields that the endpoint does not store.
func (p *PreparedRequest) checkNulls(merged map[string]any) error {
	d, _ := p.server.custom(merged)
	checker, ok := d.(NullChecker)
	if !ok || p.carries || !hasNull(merged) {
		return nil
	}
	merged = maps.Clone(merged)
	for _, set := range p.reset {
		for e := range set.Members.All() {
			if name := *e.FieldName; name != "metadata" { // keep metadata, because the object needs its name
				delete(merged, name)
			}
		}
	}
	if err := checker.CheckNulls(merged); err != nil {
		return &NullError{&fieldmanager.RequestError{Status: httpstatus.Unprocessable, Message: err.Error()}, err}
	}
	return nil
}

// hasNull reports whether a value contains a null.
func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, below := range v {
			if hasNull(below) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return false
}
