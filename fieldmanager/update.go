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

// currentOperation stands for the manager of an update while it is merged, so
// that what it changes now is told apart from what it owned before.
const currentOperation = "current-operation"

// Update does what the API server does to the managed fields when object
// replaces live: create (live is nil), replace, and every patch but apply.
// object is the complete new object, after defaulting and admission.
//
// Managed fields in object replace those of live, when they are well formed;
// an empty list there ("managedFields: []") resets the tracking; absent or
// null ones keep those of live. On a subresource those of live are always
// kept. An object that exists (has a uid) and has no managed fields stays
// without them until it is applied to.
//
// An *ImmutableError says that object may not take the place of live. Any other
// error leaves what to do to the caller: the API server logs it and stores
// the object with the managed fields of live. Neither live nor object is
// modified.
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
	r.sent, r.verb = plain, theUpdate
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
		whole := plain
		if plain, newTyped, err = r.settleUpdate(plain, newTyped, liveTyped); err != nil {
			return nil, err
		}
		if !box.SameMap(whole, plain) {
			r.trace(StageUnions, whole, plain)
		}
	}
	if untracked {
		return r.finish(live, plain, stored, before)
	}
	writer := r.owner(manager, managedfields.OperationUpdate)
	id := writer.ID()
	r.stored = newTyped
	have, wrote, err := r.recordUpdate(liveTyped, newTyped, ownedBy(before), id)
	if err != nil {
		return nil, err
	}
	r.differs = wrote && r.m.o.ResetFields == nil
	after, err := before.With(have.fields, have.times)
	if err != nil {
		return nil, err
	}
	r.warnMissing(before)
	return r.finish(live, plain, stored, after)
}

// ownersBefore reads the managed fields that are stored, and those that an update to
// object starts from.
func (r *request) ownersBefore(live, object map[string]any) (stored, before *managedfields.Managed) {
	how := r.readLate()
	if r.m.o.Subresource == "" {
		// Nearly always they are sent back as they were read.
		how.Sent, _ = document.Metadata(object)["managedFields"].([]any)
	}
	stored, err := r.m.liveManaged(live, how)
	if err != nil {
		r.warnings = append(r.warnings, managedfields.Warning{Path: ".metadata.managedFields", Live: true, Message: fmt.Sprintf("the live object's managed fields are lost: %v", err)})
		stored = &managedfields.Managed{}
	}
	before = stored
	if !how.Same || stored.Len() == 0 {
		before = r.ownersOfUpdate(stored, object)
	}
	r.warnings = append(r.warnings, before.Warnings()...)
	return stored, before
}

// ownersOfUpdate picks the managed fields that an update starts from: those that are
// stored, or those in object.
func (r *request) ownersOfUpdate(stored *managedfields.Managed, object map[string]any) *managedfields.Managed {
	if r.m.o.Subresource != "" {
		return stored
	}
	if managedfields.RequestsReset(object) {
		return &managedfields.Managed{}
	}
	given, err := decode(object, r.readLate())
	if err != nil {
		r.warn(".metadata.managedFields", "those of the live object are kept: %v", err)
		return stored
	}
	if given.Len() == 0 {
		return stored
	}
	return given
}

// recordUpdate makes the manager with that ID the owner of what differs between old and
// object, and folds the oldest updates together when there are too many. wrote
// tells whether anything that is tracked does.
func (r *request) recordUpdate(old, object *typed.TypedValue, have owned, id string) (after owned, wrote bool, err error) {
	version := fieldpath.APIVersion(r.apiVersion)
	_, fields, err := r.updater.Update(old, object, version, maps.Clone(have.fields), currentOperation)
	if err != nil {
		return owned{}, false, fmt.Errorf("failed to update managed fields (%s/%s): %w", r.kind, r.apiVersion, err)
	}
	have.fields = fields
	strip(fields, currentOperation)
	if changed, ok := fields[currentOperation]; ok {
		wrote = true
		delete(fields, currentOperation)
		if previous, ok := fields[id]; ok {
			changed = joined(changed, previous)
		}
		fields[id] = changed
		have.times[id] = &r.now
	}
	have.foldOldest(r.m.o.MaxUpdateManagers)
	return have, wrote, nil
}

// joined is what a manager owns that owned previous and has written changed, both in
// one version: an update in another one is another owner.
func joined(changed, previous fieldpath.VersionedSet) fieldpath.VersionedSet {
	if late, ok := previous.(*stored.Set); ok {
		return late.With(changed.Set())
	}
	return fieldpath.NewVersionedSet(changed.Set().Union(previous.Set()), changed.APIVersion(), changed.Applied())
}
