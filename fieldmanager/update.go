// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"maps"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// currentOperation is a temporary manager for the update during the merge. It separates the
// fields that the update changes from the fields that its manager owned before.
const currentOperation = "current-operation"

// Update updates the managed fields for an object that replaces live. The API server does the
// same for a create (live is nil), a replace, and every patch except apply. object is the
// complete new object, after defaulting and admission. Neither live nor object is modified.
//
// If object has valid managed fields, they replace the managed fields of live. An empty list
// ("managedFields: []") resets the tracking. If the managed fields of object are absent or
// null, the managed fields of live stay. In a request to a subresource, the managed fields of
// live always stay. If an existing object (with a uid) has no managed fields, it gets none
// until its first apply.
//
// Update returns an *ImmutableError if object changes immutable fields of live. For any other
// error, the caller decides what to do. The API server logs the error, and stores the object
// with the managed fields of live.
func (m *FieldManager) Update(live, object map[string]any, manager string) (*Result, error) {
	if err := CheckManager(manager); err != nil {
		return nil, err
	}
	r, err := m.newRequest(live, object)
	if err != nil {
		return nil, err
	}
	stored, before := r.ownersBefore(live, object)
	plain, t, err := m.Convert(document.WithoutManagedFields(object), r.apiVersion)
	if err != nil {
		return nil, fmt.Errorf("failed to convert new object (%s) to proper version (%s): %w", document.Describe(object), r.apiVersion, err)
	}
	if m.o.EqualQuantities && !r.isNew {
		plain = RespellQuantities(t, r.live, plain)
	}
	r.sent, r.verb = plain, updateVerb
	untracked := before.Len() == 0 && document.MetaString(r.live, "uid") != ""
	unions := m.o.Unions && !r.isNew && t.HasUnions()
	if untracked && m.o.Duplicates == typed.RefuseDuplicates && !unions {
		r.trace(StagePrepared, object, plain)
		return r.finish(live, plain, stored, before)
	}
	liveTyped, liveErr := r.typedLive()
	plain, newTyped, err := r.typedUpdate(t, plain)
	if err != nil {
		return nil, fmt.Errorf("failed to convert new object (%s) to smd typed: %w", document.Describe(object), err)
	}
	r.sent = plain
	r.trace(StagePrepared, object, plain)
	if untracked && !unions {
		return r.finish(live, plain, stored, before)
	}
	if liveErr != nil {
		return nil, fmt.Errorf("failed to convert live object (%s) to smd typed: %w", document.Describe(r.live), liveErr)
	}
	if unions {
		prepared := plain
		if plain, newTyped, err = r.normalizeUpdate(plain, newTyped, liveTyped); err != nil {
			return nil, err
		}
		if !box.SameMap(prepared, plain) {
			r.trace(StageUnions, prepared, plain)
		}
	}
	if untracked {
		return r.finish(live, plain, stored, before)
	}
	writer := r.owner(manager, managedfields.OperationUpdate)
	id := writer.ID()
	r.storedTyped = newTyped
	owners, wrote, err := r.recordUpdate(liveTyped, newTyped, ownershipOf(before), id)
	if err != nil {
		return nil, err
	}
	r.knownToDiffer = wrote && r.m.o.ResetFields == nil
	after, err := before.With(owners.fields, owners.times)
	if err != nil {
		return nil, err
	}
	r.warnMissing(before)
	return r.finish(live, plain, stored, after)
}

// ownersBefore returns the stored managed fields, and the managed fields from which an update
// to object starts. The two can differ because object may have managed fields, too.
func (r *request) ownersBefore(live, object map[string]any) (stored, before *managedfields.Managed) {
	reading := r.lazyReading()
	if r.m.o.Subresource == "" {
		// Most updates send back the managed fields that they have read.
		reading.Sent, _ = document.Metadata(object)["managedFields"].([]any)
	}
	stored, err := r.m.liveManaged(live, reading)
	if err != nil {
		r.warnings = append(r.warnings, managedfields.Warning{Path: ".metadata.managedFields", Live: true, Message: fmt.Sprintf("the live object's managed fields are lost: %v", err)})
		stored = &managedfields.Managed{}
	}
	before = stored
	if !reading.Same || stored.Len() == 0 {
		before = r.ownersOfUpdate(stored, object)
	}
	r.warnings = append(r.warnings, before.Warnings()...)
	return stored, before
}

// ownersOfUpdate returns the managed fields from which an update starts. They are the stored
// managed fields, or the managed fields in object.
func (r *request) ownersOfUpdate(stored *managedfields.Managed, object map[string]any) *managedfields.Managed {
	if r.m.o.Subresource != "" {
		return stored
	}
	if managedfields.RequestsReset(object) {
		return &managedfields.Managed{}
	}
	given, err := decode(object, r.lazyReading())
	if err != nil {
		r.warn(".metadata.managedFields", "invalid, so those of the live object are kept: %v", err)
		return stored
	}
	if given.Len() == 0 {
		return stored
	}
	return given
}

// recordUpdate makes the manager id the owner of the fields that differ between old and
// object. If there are too many update managers, it combines the oldest. wrote is true if old
// and object differ in a field that can have an owner.
func (r *request) recordUpdate(old, object *typed.TypedValue, owners ownership, id string) (after ownership, wrote bool, err error) {
	version := fieldpath.APIVersion(r.apiVersion)
	_, fields, err := r.updater.Update(old, object, version, maps.Clone(owners.fields), currentOperation)
	if err != nil {
		return ownership{}, false, fmt.Errorf("failed to update managed fields (%s/%s): %w", r.kind, r.apiVersion, err)
	}
	owners.fields = fields
	removeNeverOwned(fields, currentOperation)
	if changed, ok := fields[currentOperation]; ok {
		wrote = true
		delete(fields, currentOperation)
		if previous, ok := fields[id]; ok {
			changed = joined(changed, previous)
		}
		fields[id] = changed
		owners.times[id] = &r.now
	}
	owners.foldOldest(r.m.o.MaxUpdateManagers)
	return owners, wrote, nil
}

// joined returns the field set of a manager that owned previous and has now written changed.
// Both sets are in the same version, because an update in another version has another owner
// ID.
func joined(changed, previous fieldpath.VersionedSet) fieldpath.VersionedSet {
	if late, ok := previous.(*stored.Set); ok {
		return late.With(changed.Set())
	}
	return fieldpath.NewVersionedSet(changed.Set().Union(previous.Set()), changed.APIVersion(), changed.Applied())
}
