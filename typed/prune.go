// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"reflect"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Prune returns the value without undeclared fields, as the API server prunes custom resources.
// schema.Map.UnknownFields decides which undeclared fields are removed. If the value contains a
// map or a list where the type does not allow one, Prune removes all fields inside it.
// Validation reports such a map or list.
//
// The result is tv itself if nothing changes, and otherwise shares unchanged parts with tv.
// UnknownFields returns the fields that Prune removes. Prune returns ValidationErrors if the
// value is nested too deep.
func (tv *TypedValue) Prune() (*TypedValue, error) {
	if findings := tv.operand().CheckDepth(); findings != nil {
		return nil, errorsOf(findings)
	}
	n, tree, ok := tv.operand().Plain()
	if !ok {
		return tv, nil
	}
	out, changed, findings := engine.Prune(n, tree, false)
	if findings != nil {
		return nil, errorsOf(findings)
	}
	if !changed {
		return tv, nil
	}
	return typedOf(tv.operand().With(out)), nil
}

// UnknownFields returns the sorted paths of the fields that Prune removes. A server with field
// validation warns about the same fields. The paths identify list items by index. UnknownFields
// returns the same errors as Prune.
func (tv *TypedValue) UnknownFields() ([]fieldpath.Path, error) {
	if findings := tv.operand().CheckDepth(); findings != nil {
		return nil, errorsOf(findings)
	}
	n, tree, ok := tv.operand().Plain()
	if !ok {
		return nil, nil
	}
	paths, findings := engine.UnknownFields(n, tree)
	return paths, errorsOf(findings)
}

// Prune removes undeclared fields from object, which is plain data. It does the same as
// TypedValue.Prune, but modifies and returns object. It is for servers, which own the objects
// that they decode. Call Prune after decoding and before Default.
//
// Prune returns ValidationErrors for structs and pointers, because Go types have no undeclared
// fields. It also returns them if the schema does not define the type, or if object is nested too deep.
// In the last case, object may be partly pruned.
func (p ParseableType) Prune(object any) (any, error) {
	n, err := p.nodeFor(object)
	if err != nil {
		return nil, err
	}
	out, _, findings := engine.Prune(n, object, true)
	if findings != nil {
		return nil, errorsOf(findings)
	}
	return out, nil
}

// UnknownFields returns the paths of the fields that Prune would remove from object. It does
// not modify object. See TypedValue.UnknownFields.
func (p ParseableType) UnknownFields(object any) ([]fieldpath.Path, error) {
	n, err := p.nodeFor(object)
	if err != nil {
		return nil, err
	}
	paths, findings := engine.UnknownFields(n, object)
	return paths, errorsOf(findings)
}

// nodeFor returns the compiled type. It returns an error if the schema lacks the type, or if object is
// a Go value that is not plain data.
func (p ParseableType) nodeFor(object any) (*graph.Node, error) {
	switch reflect.ValueOf(object).Kind() {
	case reflect.Pointer, reflect.Struct:
		return nil, errorf("want plain data, found %T", object)
	}
	n := compiled.Node(p.Schema, p.TypeRef)
	if n.Missing {
		return nil, errorsOf(data.NoType(n))
	}
	return n, nil
}
