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
	// Old finds the types under which the managed fields were written, New the
	// types of today. Each entry is read with the type of its own API version.
	Old, New fieldmanager.TypeSource

	// Converter converts the object to the API versions of its entries, as in
	// fieldmanager.Options. Without one, an entry in another version than the object's is
	// an error.
	Converter fieldmanager.Converter
}

// RekeyResult is the result of Rekey for one object.
type RekeyResult struct {
	// Object is the object with its new managed fields, the object itself if
	// Changed is false. Only metadata.managedFields differs: time stamps and
	// entries that did not move are the same to the byte.
	Object  map[string]any
	Managed *managedfields.Managed
	Changed bool

	// Moves are all changes, in the order of the entries, then of the old paths. They
	// are true only if the entries were written under RekeyOptions.Old. They are not true
	// of an object that was carried over before.
	Moves []OwnerMove

	// Warnings name entries that were left as they are, since no type is known
	// for their API version.
	Warnings []managedfields.Warning
}

// An OwnerMove is a Move of what one owner has.
type OwnerMove struct {
	Owner managedfields.Owner
	typed.Move
}

// Rekey carries the managed fields of a stored object over to a new state of its schemas, so
// that every owner keeps what it owned. Managed fields name list items by their keys. When
// the default of a key appears, changes or goes, a stored path names another item than
// before. The same is true when keys, atomic lists or maps, or declarative defaults change.
// See typed.Rekeyer.
//
// object is as it was stored, before the defaults of the new schemas are filled in. Rekey
// does not modify it.
//
// Call it once for each stored object when the schema changes. A server that does not is safe
// only if a default appears: then missing keys of stored paths have the new default.
//
// An object does not show that it was carried over, so record which objects are done. A second
// call reads the entries as written under Old, which is wrong by then. It reports moves that
// were made already, most of them typed.MoveShared. If an atomic list or map became granular,
// it gives owners of a part the whole again.
//
// Migrate changes who owns fields; Rekey changes only their names. The package comment
// compares all ways to move managed fields.
//
// The error is a *managedfields.EntryError if the managed fields cannot be read. Rekey is safe
// for concurrent use if the functions in o are.
func Rekey(object map[string]any, o RekeyOptions) (*RekeyResult, error) {
	before, err := managedfields.Decode(object)
	if err != nil {
		return nil, err
	}
	apiVersion, kind := document.TypeOf(object)
	if apiVersion == "" || kind == "" {
		return nil, badMigration(fmt.Sprintf("object has no apiVersion or kind: invalid object type: %s", document.GVK(apiVersion, kind)))
	}
	out := &RekeyResult{Object: object, Managed: before, Warnings: before.Warnings()}
	at := map[string]*rekeying{}
	plain := document.WithoutManagedFields(object)
	fields := before.Fields()
	for _, e := range before.Entries() {
		v, ok := at[e.APIVersion]
		if !ok {
			v = o.version(plain, kind, e.APIVersion)
			at[e.APIVersion] = v
		}
		if errors.Is(v.err, fieldmanager.ErrUnknownType) || errors.Is(v.err, fieldmanager.ErrUnknownVersion) {
			out.Warnings = append(out.Warnings, managedfields.Warning{
				Path:    fmt.Sprintf(".metadata.managedFields[%d]", before.Index(e.Owner.ID())),
				Message: fmt.Sprintf("%v (%s) is left as it is: %v", e.Owner, e.Operation, v.err),
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

// rekeying is one object in one API version.
type rekeying struct {
	*typed.Rekeyer
	err error
}

// version returns the rekeying of object for the entries in apiVersion.
func (o RekeyOptions) version(object map[string]any, kind, apiVersion string) *rekeying {
	old, err := o.Old(apiVersion, kind)
	if err != nil {
		return &rekeying{err: err}
	}
	m, err := fieldmanager.New(fieldmanager.Options{Types: o.New, Converter: o.Converter})
	if err != nil {
		return &rekeying{err: err}
	}
	object, now, err := m.Convert(object, apiVersion)
	if err != nil {
		return &rekeying{err: err}
	}
	return &rekeying{Rekeyer: old.Rekeyer(now, object)}
}
