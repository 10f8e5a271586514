// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"maps"
	"net/http"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// NullChecker is a Definition that knows which nulls may be stored. A Version of package
// kube/crd is one.
type NullChecker interface {
	Definition
	// CheckNulls returns an error in the words of a server, which names all nulls that the server
	// would refuse in an object once it has filled in defaults, nil if there are none. It is asked
	// about objects that Default takes, and does not write to them.
	CheckNulls(object map[string]any) error
}

// NullError is that an apply has merged nulls into a custom resource that may not be stored: they
// were applied, or are what the merge leaves of a list or map that has lost all that was in it, as
// when {} is applied after {a: b}. A server takes nulls out of what it decodes, but not of what it
// has merged.
type NullError struct {
	Err *fieldmanager.RequestError
	// Checked is that of CheckNulls.
	Checked error
}

func (e *NullError) Error() string { return e.Err.Error() }

func (e *NullError) Unwrap() error { return e.Err }

// checkNulls returns a *NullError if the server refuses nulls of what an apply has merged. What
// the endpoint does not store does not count.
func (p *PreparedRequest) checkNulls(merged map[string]any) error {
	d, _ := p.server.custom(merged)
	checker, ok := d.(NullChecker)
	if !ok || p.carries || !hasNull(merged) {
		return nil
	}
	merged = maps.Clone(merged)
	for _, set := range p.reset {
		for e := range set.Members.All() {
			if name := *e.FieldName; name != "metadata" { // which names the object
				delete(merged, name)
			}
		}
	}
	if err := checker.CheckNulls(merged); err != nil {
		return &NullError{&fieldmanager.RequestError{Status: http.StatusUnprocessableEntity, Message: err.Error()}, err}
	}
	return nil
}

// hasNull says whether there is a null in a value.
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
