// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"reflect"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/engine"
)

// Prune returns the value without the fields that its type does not know, as the
// API server prunes custom resources; schema.Map.UnknownFields says which those
// are. Where a map or a list stands that the type does not allow, nothing in it
// is known: validation says so.
//
// The result is tv itself if nothing changes, and shares with tv what does not
// change. UnknownFields tells what goes. It fails with ValidationErrors if the
// value is nested too deep.
func (tv *TypedValue) Prune() (*TypedValue, error) {
	n, tree, ok := tv.in().Plain()
	if !ok {
		return tv, nil
	}
	out, changed, found := engine.Prune(n, tree, false)
	if found != nil {
		return nil, errorsOf(found)
	}
	if !changed {
		return tv, nil
	}
	return of(tv.in().With(out)), nil
}

// UnknownFields returns the paths of the fields that Prune drops, sorted: what a
// server that validates fields warns of. Items are known by their index. It fails
// as Prune does.
func (tv *TypedValue) UnknownFields() ([]fieldpath.Path, error) {
	n, tree, ok := tv.in().Plain()
	if !ok {
		return nil, nil
	}
	paths, found := engine.UnknownFields(n, tree)
	return paths, errorsOf(found)
}

// Prune drops from object, plain data that it writes to, the fields that the type
// does not know, and returns it. It is TypedValue.Prune for servers, which own
// what they have decoded: call it after decoding, before Default.
//
// Go values have no unknown fields to drop, and are refused.
func (p ParseableType) Prune(object any) (any, error) {
	if err := wantPlain(object); err != nil {
		return nil, err
	}
	out, _, found := engine.Prune(compiled.Node(p.Schema, p.TypeRef), object, true)
	if found != nil {
		return nil, errorsOf(found)
	}
	return out, nil
}

// UnknownFields returns the paths of the fields that Prune would drop from
// object, which it leaves alone; see TypedValue.UnknownFields.
func (p ParseableType) UnknownFields(object any) ([]fieldpath.Path, error) {
	if err := wantPlain(object); err != nil {
		return nil, err
	}
	paths, found := engine.UnknownFields(compiled.Node(p.Schema, p.TypeRef), object)
	return paths, errorsOf(found)
}

func wantPlain(object any) error {
	switch reflect.ValueOf(object).Kind() {
	case reflect.Pointer, reflect.Struct:
		return errorf("want plain data, found %T", object)
	}
	return nil
}
