// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// RekeyOptions are the options of Rekey.
type RekeyOptions struct {
	// Old returns the types that were in use when the managed fields were written. New returns
	// the current types. For each entry, Rekey uses the types for the entry's API version.
	Old, New fieldmanager.TypeSource

	// Converter converts the object to the API versions of its entries, as in fieldmanager.Options.
	// It may modify its argument, which is a copy. Without a Converter, Rekey returns an error if
	// an entry and the object have different API versions, and both Old and New have the type of
	// the entry's version.
	Converter fieldmanager.Converter
}

// RekeyResult is the result of Rekey for one object.
type RekeyResult struct {
	// Object is the given object with new managed fields. Everything else is unchanged. If
	// Changed is false, it is the given object itself. Time stamps do not change, and entries
	// whose paths did not change stay identical.
	Object  map[string]any
	Managed *managedfields.Managed
	Changed bool

	// Moves lists all changes, sorted by entry and old path. Moves is wrong if the entries were not
	// written with the schemas of RekeyOptions.Old, for example because the object was already rekeyed.
	Moves []OwnerMove

	// Warnings contains the warnings of managedfields.Decode. It also reports entries that Rekey
	// did not change because the type for their API version is unknown.
	Warnings []managedfields.Warning
}

// An OwnerMove is a typed.Move, and the owner in whose field set it occurred.
type OwnerMove struct {
	Owner managedfields.Owner
	typed.Move
}

// Rekey converts the managed fields of a stored object after its schemas changed, so that every
// owner keeps its fields.
//
// Managed fields identify list items by keys. If the default of a key is added, changed or removed,
// a stored path can identify a different item than before. A stored path can also change its
// meaning if the keys of a list change, if a list or map becomes atomic or granular, or if
// declarative defaults are turned on or off. See typed.Rekeyer.
//
// Call Rekey once for each stored object when the schema changes. Pass the object as it is stored,
// before the defaults of the new schemas are filled in. Rekey does not modify it. Without Rekey,
// ownership stays correct after only one kind of change: if a key without a default gets one,
// missing keys in stored paths get this default.
//
// Nothing in an object shows whether it was rekeyed, so record which objects are done. A second
// call would read the entries with the schemas of Old, although the entries already match the new
// schemas. It would report earlier moves again, most of them as typed.MoveShared. If an atomic list
// or map became granular, the owner of one of its entries would become the owner of all of them.
//
// Rekey changes only paths. To change the owners of fields, call Migrate. The documentation of this
// package compares all functions that move managed fields.
//
// Rekey returns a *managedfields.EntryError if the managed fields cannot be decoded, and a
// *fieldmanager.RequestError if object has no apiVersion or kind. It also returns the errors of the
// functions in o, except for unknown types and versions. If a type or version is unknown, Rekey
// adds a warning, and does not change the entry. Rekey is safe for concurrent use if the functions
// in o are safe for concurrent use.
func Rekey(object map[string]any, o RekeyOptions) (*RekeyResult, error) {
	before, err := managedfields.Decode(object)
	if err != nil {
		return nil, err
	}
	apiVersion, kind := document.TypeOf(object)
	if apiVersion == "" || kind == "" {
		return nil, badRequest(fmt.Sprintf("object has no apiVersion or kind: invalid object type: %s", document.GVK(apiVersion, kind)))
	}
	out := &RekeyResult{Object: object, Managed: before, Warnings: before.Warnings()}
	rekeyers := map[string]*versionRekeyer{}
	plain := document.WithoutManagedFields(object)
	fields := before.Fields()
	for _, e := range before.Entries() {
		v, ok := rekeyers[e.APIVersion]
		if !ok {
			v = o.version(plain, kind, e.APIVersion)
			rekeyers[e.APIVersion] = v
		}
		if errors.Is(v.err, fieldmanager.ErrUnknownType) || errors.Is(v.err, fieldmanager.ErrUnknownVersion) {
			out.Warnings = append(out.Warnings, managedfields.Warning{
				Path:    fmt.Sprintf(".metadata.managedFields[%d]", before.Index(e.Owner.ID())),
				Message: fmt.Sprintf("%v (%s) is not changed: %v", e.Owner, e.Operation, v.err),
			})
			continue
		}
		if v.err != nil {
			return nil, fmt.Errorf("managed fields of %v: %w", e.Owner, v.err)
		}
		set, moves, err := v.Rekey(e.Set)
		if err != nil {
			return nil, fmt.Errorf("managed fields of %v: %w", e.Owner, err)
		}
		for _, m := range moves {
			if m.Reason != typed.MoveLeftOut || e.Operation == managedfields.OperationApply {
				out.Moves = append(out.Moves, OwnerMove{e.Owner, m})
			}
		}
		if set != e.Set {
			out.Changed = true
			fields[e.Owner.ID()] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(e.APIVersion), e.Operation == managedfields.OperationApply)
		}
	}
	if !out.Changed {
		return out, nil
	}
	if out.Managed, err = before.With(fields, nil); err != nil {
		return nil, err
	}
	out.Object = out.Managed.EncodeInto(object)
	return out, nil
}

// versionRekeyer holds a Rekeyer for one object in one API version, or the error that occurred
// when it was created.
type versionRekeyer struct {
	*typed.Rekeyer
	err error
}

// version returns the versionRekeyer of object for entries in apiVersion.
func (o RekeyOptions) version(object map[string]any, kind, apiVersion string) *versionRekeyer {
	old, err := o.Old(apiVersion, kind)
	if err != nil {
		return &versionRekeyer{err: err}
	}
	m, err := fieldmanager.New(fieldmanager.Options{Types: o.New, Converter: o.Converter})
	if err != nil {
		return &versionRekeyer{err: err}
	}
	object, current, err := m.Convert(object, apiVersion)
	if err != nil {
		return &versionRekeyer{err: err}
	}
	return &versionRekeyer{Rekeyer: old.Rekeyer(current, object)}
}
