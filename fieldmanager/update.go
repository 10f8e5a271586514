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
// complete new object, after defaulting and admission. Neither live nor object is modified. An
// empty manager becomes "unknown".
//
// If object has valid managed fields, Update adds the changes of the manager to them. An empty list
// or a list with one empty entry ("managedFields: []" or "managedFields: [{}]") resets the
// tracking, so that there are no earlier owners. If the managed fields of object are absent, null
// or invalid, Update adds the changes to the managed fields of live. In a request to a subresource,
// it always adds them to the managed fields of live, and does not read the managed fields of
// object. If there are no managed fields to which it could add the changes, and live has a uid,
// Update records no owner: the object gets its first managed fields from an apply.
//
// Update ignores invalid managed fields, and returns a warning about those that it reads. If the same
// invalid managed fields are in live and object, there is only the warning about live.
//
// Update returns a *RequestError if the API server would reject the request, for example because
// of an old resourceVersion. With Options.CheckTransitions, it returns an *ImmutableError if object
// changes immutable fields of live.
//
// For any other error, the API server logs the error, and stores the object with the managed fields
// of live. The caller can do the same, but must then check uid, resourceVersion and immutable fields
// itself.
func (m *FieldManager) Update(live, object map[string]any, manager string) (*Result, error) {
	if err := CheckManager(manager); err != nil {
		return nil, err
	}
	r, err := m.newRequest(live, object)
	if err != nil {
		return nil, err
	}
	liveManaged, startManaged := r.managedBefore(live, object)
	plain, t, err := m.Convert(document.WithoutManagedFields(object), r.apiVersion)
	if err != nil {
		return nil, fmt.Errorf("failed to convert new object (%s) to proper version (%s): %w", document.Describe(object), r.apiVersion, err)
	}
	if m.options.EqualQuantities && !r.isNew {
		plain = RespellQuantities(t, r.live, plain)
	}
	r.sent, r.isUpdate = plain, true
	// If there are no managed fields to start from, because live has no valid ones or the request
	// resets them, an update of a stored object writes none. The uid shows that live is stored.
	// Such an update has no owners to compute, and no need to compare the object with live.
	untracked := startManaged.Len() == 0 && document.MetaString(r.live, "uid") != ""
	unions := m.options.Unions && !r.isNew && t.HasUnions()
	if untracked && m.options.Duplicates == typed.RefuseDuplicates && !unions {
		// Nothing else needs the types of the objects either, so do not validate the objects.
		r.trace(StagePrepared, object, plain)
		return r.finish(live, plain, liveManaged, startManaged)
	}
	// Call typedLive first, so that typedUpdate validates only the parts of the new object that
	// differ from live. Report liveErr later: the API server validates the new object first, and an
	// untracked object does not need a valid live object.
	liveTyped, liveErr := r.typedLive()
	plain, newTyped, err := r.typedUpdate(t, plain)
	if err != nil {
		return nil, fmt.Errorf("failed to convert new object (%s) to smd typed: %w", document.Describe(object), err)
	}
	r.sent = plain
	r.trace(StagePrepared, object, plain)
	if untracked && !unions {
		return r.finish(live, plain, liveManaged, startManaged)
	}
	if liveErr != nil {
		return nil, fmt.Errorf("failed to convert live object (%s) to smd typed: %w", document.Describe(r.live), liveErr)
	}
	if unions {
		prepared := plain
		if plain, newTyped, err = r.clearLeftoversOfUpdate(plain, newTyped, liveTyped); err != nil {
			return nil, err
		}
		if !box.SameMap(prepared, plain) {
			r.trace(StageUnions, prepared, plain)
		}
	}
	if untracked {
		return r.finish(live, plain, liveManaged, startManaged)
	}
	owner := r.owner(manager, managedfields.OperationUpdate)
	r.newTyped = newTyped
	owners, wrote, err := r.recordUpdate(liveTyped, newTyped, ownerSetsOf(startManaged), owner.ID())
	if err != nil {
		return nil, err
	}
	r.knownToDiffer = wrote && r.m.options.ResetFields == nil
	after, err := startManaged.With(owners.sets, owners.times)
	if err != nil {
		return nil, err
	}
	r.warnMissingVersions(startManaged, startManaged == liveManaged)
	return r.finish(live, plain, liveManaged, after)
}

// managedBefore returns liveManaged, the managed fields of live, and startManaged, the managed fields
// to which the update adds its changes. They differ if object has managed fields of its own (see
// chooseManaged). If the managed fields of live are invalid, managedBefore adds a warning, and
// liveManaged is empty. It also adds the warnings from decoding startManaged.
func (r *request) managedBefore(live, object map[string]any) (liveManaged, startManaged *managedfields.Managed) {
	reading := r.lazyReading()
	if r.m.options.Subresource == "" {
		// Most updates send back the managed fields that they have read.
		reading.Sent, _ = document.Metadata(object)["managedFields"].([]any)
	}
	liveManaged, liveErr := r.m.liveManaged(live, reading)
	if liveErr != nil {
		r.warnings = append(r.warnings, managedfields.Warning{Path: ".metadata.managedFields", Live: true, Message: fmt.Sprintf("invalid, so this update drops the managed fields of the live object: %v", liveErr)})
		liveManaged = &managedfields.Managed{}
	}
	startManaged = liveManaged
	// reading.Same is true if object has the same managed fields as live. In this case, there is
	// nothing to choose. Same has no meaning if the managed fields of live are invalid.
	if !reading.Same || liveErr != nil {
		startManaged = r.chooseManaged(live, object, liveManaged, liveErr == nil)
	}
	r.addDecodeWarnings(startManaged, startManaged == liveManaged)
	return liveManaged, startManaged
}

// chooseManaged returns the managed fields to which an update adds its changes:
//
//   - in a request to a subresource, the managed fields of live;
//   - if object resets the tracking, no managed fields;
//   - if object has valid managed fields, those of object, because the client may have changed them;
//   - in all other cases, the managed fields of live.
//
// If the managed fields of object are invalid, chooseManaged adds a warning. It adds no warning in
// a request to a subresource, or if live has the same invalid managed fields. The argument
// liveManaged has the managed fields of live. It is empty if liveValid is false.
func (r *request) chooseManaged(live, object map[string]any, liveManaged *managedfields.Managed, liveValid bool) *managedfields.Managed {
	if r.m.options.Subresource != "" {
		return liveManaged
	}
	if managedfields.RequestsReset(object) {
		return &managedfields.Managed{}
	}
	sentManaged, err := decode(object, r.lazyReading())
	switch {
	case err != nil && liveValid:
		r.warn(".metadata.managedFields", "invalid, so the managed fields of the live object stay: %v", err)
	case err != nil && !document.Equal(document.Metadata(object)["managedFields"], document.Metadata(live)["managedFields"]):
		// If object and live have equal managed fields, the warning about those of live suffices.
		r.warn(".metadata.managedFields", "invalid, so this update ignores them: %v", err)
	}
	if err != nil || sentManaged.Len() == 0 {
		return liveManaged
	}
	return sentManaged
}

// recordUpdate records the ownership of an update. The owner ownerID becomes the only owner of the
// fields that the update changes or adds. Every owner loses the fields that the update removes. If
// there are too many update managers afterwards, recordUpdate combines the oldest. It modifies
// owners.times. wrote is true if the update has changed or added a field that can have an owner.
func (r *request) recordUpdate(old, object *typed.TypedValue, owners ownerSets, ownerID string) (after ownerSets, wrote bool, err error) {
	version := fieldpath.APIVersion(r.apiVersion)
	_, sets, err := r.updater.Update(old, object, version, maps.Clone(owners.sets), currentOperation)
	if err != nil {
		return ownerSets{}, false, fmt.Errorf("failed to update managed fields (%s/%s): %w", r.kind, r.apiVersion, err)
	}
	owners.sets = sets
	removePaths(sets, currentOperation, document.NeverOwned)
	if changed, ok := sets[currentOperation]; ok {
		wrote = true
		delete(sets, currentOperation)
		if previous, ok := sets[ownerID]; ok {
			changed = joinSets(changed, previous)
		}
		sets[ownerID] = changed
		owners.times[ownerID] = &r.now
	}
	owners.capUpdateManagers(r.m.options.MaxUpdateManagers)
	return owners, wrote, nil
}

// joinSets returns the union of two field sets of one manager: the fields that it has now changed,
// and the fields that it owned before. Both sets are in the same version, because the version is
// part of the ID of an update's owner.
func joinSets(changed, previous fieldpath.VersionedSet) fieldpath.VersionedSet {
	if lazy, ok := previous.(*stored.Set); ok {
		return lazy.With(changed.Set()) // does not decode the set
	}
	return fieldpath.NewVersionedSet(changed.Set().Union(previous.Set()), changed.APIVersion(), changed.Applied())
}
