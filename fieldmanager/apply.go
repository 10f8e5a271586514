// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"maps"
	"unicode"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/sent"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// BeforeFirstApply is the manager that becomes the owner of the existing fields when an object
// without managed fields is first applied.
const BeforeFirstApply = "before-first-apply"

// Apply applies config for manager, as the API server does in a server-side apply. The argument
// live is the stored object, or nil if it does not exist yet. Neither live nor config is modified.
//
// The manager "kubectl" is special if the object has the annotation of client-side apply. For
// this manager, fields do not conflict if they still have the values that client-side apply
// last set. Apply also writes config into the annotation, or removes the annotation if it
// would be too large.
//
// If the API server would also reject the request, the error has one of these types:
//
//   - *ConflictError: config would change fields of other managers, and force is false.
//   - *RequestError: the request is invalid.
//   - *managedfields.EntryError: the managed fields of live cannot be decoded.
//   - *typed.Problem: a value in config or live is invalid.
//
// If the API server returns the same error, the error has the text of the API server, which can
// contain Go types. To show users the invalid values, print each problem that typed.Problems
// returns.
//
// With Options.CheckTransitions, Apply returns an *ImmutableError if the result, pruned and
// defaulted, changes immutable fields of live. Current API servers allow such a change. Apply
// also returns the errors of TypeSource, Converter and Defaulter.
func (m *FieldManager) Apply(live, config map[string]any, manager string, force bool) (*Result, error) {
	if manager == "" {
		return nil, unprocessable("fieldManager: Required value: is required for apply patch")
	}
	if err := CheckManager(manager); err != nil {
		return nil, err
	}
	r, before, err := m.startApply(live, config, manager)
	if err != nil {
		return nil, err
	}
	original := config
	if config, err = r.configWithoutManagedFields(config); err != nil {
		return nil, err
	}

	owners := ownerSetsOf(before)
	if before.Len() == 0 && !r.isNew {
		if owners, err = r.recordBeforeFirstApply(owners); err != nil {
			return nil, err
		}
	}
	config, configTyped, err := r.typedConfig(config)
	if err != nil {
		return nil, fmt.Errorf("failed to create typed patch object (%s): %w", document.Describe(config), err)
	}
	r.trace(StagePrepared, original, config)
	liveTyped, err := r.typedLive()
	if err != nil {
		return nil, fmt.Errorf("failed to create typed live object (%s): %w", document.Describe(r.live), err)
	}
	if m.options.ZeroIsAbsent {
		if liveTyped, err = r.addAppliedZeroes(liveTyped, configTyped, owners); err != nil {
			return nil, err
		}
		if m.options.Trace != nil {
			r.trace(StageZeroes, r.live, plainObject(liveTyped))
		}
	}

	r.sent, r.forced = config, force
	owner := r.owner(manager, managedfields.OperationApply)
	ownerID := owner.ID()
	merged, sets, err := r.mergeConfig(liveTyped, configTyped, owners, ownerID, manager, force)
	if err != nil {
		return nil, err
	}
	removePaths(sets, ownerID, document.NeverOwned)
	if merged != nil {
		// As in the API server, the applier gets a new time stamp only if the object changes. If only
		// the owners change, it keeps its old time stamp, and a new applier has none.
		owners.times[ownerID] = &r.now
	}
	object, err := r.appliedObject(merged, config, manager)
	if err != nil {
		return nil, err
	}
	after, err := before.With(sets, owners.times)
	if err != nil {
		return nil, err
	}
	r.warnMissingVersions(before, true)
	return r.finish(live, object, before, after)
}

// startApply begins an apply: it returns a new request and the managed fields of live. If the
// request has errors, startApply returns the error that the API server would find first.
//
// The API server checks the managed fields first, then the version of the config, and then
// everything that newRequest checks. startApply calls newRequest at the beginning anyway, because
// the type of the live object makes decoding faster.
func (m *FieldManager) startApply(live, config map[string]any, manager string) (r *request, before *managedfields.Managed, err error) {
	r, requestErr := m.newRequest(live, config)
	reading := &stored.Reading{Lazy: true}
	if r != nil {
		reading = r.lazyReading()
	}
	reading.Applier = &stored.Applier{Manager: manager, Subresource: m.options.Subresource}
	if before, err = m.liveManaged(live, reading); err != nil {
		return nil, nil, err
	}
	apiVersion, kind := document.TypeOf(config)
	if m.options.APIVersion != "" && apiVersion != m.options.APIVersion {
		return nil, nil, badRequest("invalid object type: " + document.GVK(apiVersion, kind))
	}
	if requestErr != nil {
		return nil, nil, requestErr
	}
	r.addDecodeWarnings(before, true)
	return r, before, nil
}

// appliedObject returns the object after an apply, before the method withLiveResetFields changes it.
// If merged is nil, the merge did not change the object, and the result is the live object. Otherwise,
// the result is the merged object with its defaults. If the manager is kubectl, appliedObject also
// updates the annotation of client-side apply. If the result is exactly the merged object,
// appliedObject sets r.newTyped to merged.
func (r *request) appliedObject(merged *typed.TypedValue, config map[string]any, manager string) (map[string]any, error) {
	object := r.live
	if merged != nil {
		var err error
		if object, err = r.defaultedObject(merged); err != nil {
			return nil, err
		}
		if r.m.options.Defaulter == nil && manager != clientside.Kubectl {
			r.newTyped = merged
		}
	}
	if manager != clientside.Kubectl {
		return object, nil
	}
	synced, err := clientside.Sync(object, config)
	if err != nil {
		return nil, err
	}
	r.trace(StageLastApplied, object, synced)
	return synced, nil
}

// recordBeforeFirstApply makes the manager BeforeFirstApply the owner of all fields of the live object
// that can have an owner, except fields that have the same value in the empty object of the kind. Without
// this owner, an apply would overwrite untracked fields without a conflict.
func (r *request) recordBeforeFirstApply(owners ownerSets) (ownerSets, error) {
	const failed = "failed to create manager for existing fields"
	emptyTyped, err := r.liveType.FromUnstructured(r.initialObject())
	if err != nil {
		return owners, fmt.Errorf("%s: empty object: %w", failed, err)
	}
	liveTyped, err := r.typedLive()
	if err != nil {
		return owners, fmt.Errorf("%s: failed to convert new object (%s) to smd typed: %w", failed, document.Describe(r.live), err)
	}
	owners, _, err = r.recordUpdate(emptyTyped, liveTyped, owners, r.owner(BeforeFirstApply, managedfields.OperationUpdate).ID())
	if err != nil {
		return owners, fmt.Errorf("%s: %w", failed, err)
	}
	return owners, nil
}

// configWithoutManagedFields returns config without metadata.managedFields. If
// Options.StripManagedFields is false, and config has managed fields other than null, it returns an
// error. If it removes entries, it adds a warning.
func (r *request) configWithoutManagedFields(config map[string]any) (map[string]any, error) {
	value, ok := document.Metadata(config)["managedFields"]
	if !ok {
		return config, nil
	}
	if _, isList := value.([]any); !r.m.options.StripManagedFields && value != nil {
		if isList {
			return nil, badRequest("metadata.managedFields must be nil")
		}
		return nil, badRequest("metadata.managedFields: want a list, got " + document.Kind(value))
	}
	config, warnings := sent.WithoutManagedFields(config)
	r.warnings = append(r.warnings, warnings...)
	return config, nil
}

// mergeConfig merges config into live for the owner ownerID, and returns the merged object and the
// field sets of all owners. It also clears union members that the config no longer selects, stores
// them in r.leftovers, and adds warnings about them. It reports the merge and the clearing to
// Options.Trace. The merged object is nil if the object does not change. The field sets can change
// even if the object does not. If the manager is kubectl, some fields do not conflict (see
// withoutConflictsOverLastApplied). If there are conflicts, mergeConfig returns a *ConflictError.
//
// mergeConfig can apply the config up to three times. The first apply finds conflicts over fields
// of the config. If there are such conflicts, and Options.Unions applies to the type, a second
// apply with force finds the union members that a forced apply would clear. These members can also
// conflict. If the manager is kubectl and withoutConflictsOverLastApplied leaves no conflict, a
// last apply with force computes the result.
func (r *request) mergeConfig(live, config *typed.TypedValue, owners ownerSets, ownerID, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	applyConfig := func(forced bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
		return r.updater.Apply(live, config, fieldpath.APIVersion(r.apiVersion), maps.Clone(owners.sets), ownerID, forced)
	}
	merged, sets, err := applyConfig(force)
	var conflicts merge.Conflicts
	refused := errors.As(err, &conflicts)
	if err != nil && !refused {
		return nil, nil, err
	}
	r.leftovers = &leftovers{}
	if r.m.options.Unions && r.liveType.HasUnions() {
		if refused {
			if merged, sets, err = applyConfig(true); err != nil {
				return nil, nil, err
			}
		}
		if r.leftovers, err = r.findLeftovers(merged, live, config, sets, ownerID); err != nil {
			return nil, nil, err
		}
		if !force {
			conflicts = r.leftovers.withConflictsOverCleared(conflicts)
		}
	}
	if manager == clientside.Kubectl && len(conflicts) > 0 {
		if others, ok := r.withoutConflictsOverLastApplied(conflicts); ok {
			if len(others) == 0 {
				if merged, sets, err = applyConfig(true); err != nil {
					return nil, nil, err
				}
			}
			conflicts = others
		}
	}
	if len(conflicts) == 0 {
		cleared := r.clearLeftovers(r.leftovers, merged, sets)
		r.traceMerge(live, merged, cleared)
		return cleared, sets, nil
	}
	return nil, nil, r.newConflictError(conflicts, live, config, owners, manager)
}

// defaultedObject returns the merged object as plain data, with defaults.
func (r *request) defaultedObject(merged *typed.TypedValue) (map[string]any, error) {
	object, ok := merged.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the merged object is %s, want an object", document.Kind(merged.AsValue().Unstructured()))
	}
	if r.m.options.Defaulter == nil {
		return object, nil
	}
	object, err := r.m.options.Defaulter(r.m.copyForCallback(object))
	switch {
	case err != nil:
		return nil, fmt.Errorf("default: %w", err)
	case object == nil:
		return nil, errors.New("default: the Defaulter returned neither an object nor an error")
	}
	return object, nil
}

// maxManagerLength is the maximum length of a manager's name, in bytes.
const maxManagerLength = 128

// CheckManager returns a *RequestError if the API server would reject the manager's name. It
// accepts an empty name, because an update can have one. Apply rejects an empty name.
func CheckManager(manager string) error {
	if len(manager) > maxManagerLength {
		return unprocessable(fmt.Sprintf("fieldManager: Too long: may not be more than %d bytes", maxManagerLength))
	}
	for i, c := range manager {
		if !unicode.IsPrint(c) {
			return unprocessable(fmt.Sprintf("fieldManager: Invalid value: %q: invalid character %#U (at position %d)", manager, c, i))
		}
	}
	return nil
}
