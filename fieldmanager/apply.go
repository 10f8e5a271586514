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

// beforeFirstApply owns what an object without managed fields held when it
// was first applied to.
const beforeFirstApply = "before-first-apply"

// Apply does what the API server does for a server-side apply of config by
// manager. live is the stored object, nil when there is none yet. An apply by kubectl
// brings the annotation of client-side apply, where there is one, up to date.
//
// The error is a *ConflictError when config contradicts other managers and
// force is false, an *ImmutableError when what comes of it, pruned and defaulted,
// may not take the place of live, a *RequestError when the request itself is wrong, a
// *managedfields.EntryError when live's managed fields cannot be read.
// Neither live nor config is modified.
func (m *FieldManager) Apply(live, config map[string]any, manager string, force bool) (*Result, error) {
	if manager == "" {
		return nil, invalid("fieldManager: Required value: is required for apply patch")
	}
	if err := CheckManager(manager); err != nil {
		return nil, err
	}
	r, requestErr := m.newRequest(live, config)
	how := &stored.Reading{Late: true}
	if r != nil {
		how = r.readLate()
	}
	how.Applier = &stored.Applier{Manager: manager, Subresource: m.o.Subresource}
	before, err := m.liveManaged(live, how)
	if err != nil {
		return nil, err
	}
	apiVersion, kind := document.TypeOf(config)
	if m.o.APIVersion != "" && apiVersion != m.o.APIVersion {
		return nil, badRequest("invalid object type: " + document.GVK(apiVersion, kind))
	}
	if requestErr != nil {
		return nil, requestErr
	}
	r.warnings = append(r.warnings, before.Warnings()...)
	given := config
	if config, err = r.checkConfig(config); err != nil {
		return nil, err
	}

	have := ownedBy(before)
	if before.Len() == 0 && !r.isNew {
		if have, err = r.recordBeforeFirstApply(have); err != nil {
			return nil, err
		}
	}
	config, configTyped, err := r.typedConfig(config)
	if err != nil {
		return nil, fmt.Errorf("failed to create typed patch object (%s): %w", document.Describe(config), err)
	}
	r.trace(StagePrepared, given, config)
	liveTyped, err := r.typedLive()
	if err != nil {
		return nil, fmt.Errorf("failed to create typed live object (%s): %w", document.Describe(r.live), err)
	}
	if m.o.ZeroIsAbsent {
		if liveTyped, err = r.withUnstored(liveTyped, configTyped, have); err != nil {
			return nil, err
		}
		if m.o.Trace != nil {
			r.trace(StageZeroes, r.live, plainObject(liveTyped))
		}
	}

	r.sent, r.verb, r.forced = config, "apply", force
	writer := r.owner(manager, managedfields.OperationApply)
	id := writer.ID()
	merged, fields, err := r.mergeConfig(liveTyped, configTyped, have, id, manager, force)
	if err != nil {
		return nil, err
	}
	strip(fields, id)
	object := r.live
	if merged != nil {
		have.times[id] = &r.now
		if object, err = r.mergedObject(merged); err != nil {
			return nil, err
		}
		if r.m.o.Defaulter == nil && manager != clientside.Kubectl {
			r.stored = merged
		}
	}
	if manager == clientside.Kubectl {
		merged := object
		if object, err = clientside.Sync(object, config); err != nil {
			return nil, err
		}
		r.trace(StageLastApplied, merged, object)
	}
	after, err := before.With(fields, have.times)
	if err != nil {
		return nil, err
	}
	r.warnMissing(before)
	return r.finish(live, object, before, after)
}

// recordBeforeFirstApply makes a manager that owns all that the live object
// holds, so that an apply does not take it from those who wrote it unseen.
func (r *request) recordBeforeFirstApply(have owned) (owned, error) {
	const doing = "failed to create manager for existing fields"
	emptyTyped, err := r.liveType.FromUnstructured(r.empty())
	if err != nil {
		return have, fmt.Errorf("%s: empty object: %w", doing, err)
	}
	liveTyped, err := r.typedLive()
	if err != nil {
		return have, fmt.Errorf("%s: failed to convert new object (%s) to smd typed: %w", doing, document.Describe(r.live), err)
	}
	have, _, err = r.recordUpdate(emptyTyped, liveTyped, have, r.owner(beforeFirstApply, managedfields.OperationUpdate).ID())
	if err != nil {
		return have, fmt.Errorf("%s: %w", doing, err)
	}
	return have, nil
}

// checkConfig refuses managed fields in an applied config, or takes them out.
func (r *request) checkConfig(config map[string]any) (map[string]any, error) {
	value, ok := document.Metadata(config)["managedFields"]
	if !ok {
		return config, nil
	}
	if _, isList := value.([]any); !r.m.o.StripManagedFields && value != nil {
		if isList {
			return nil, badRequest("metadata.managedFields must be nil")
		}
		return nil, badRequest("metadata.managedFields: want a list, got " + document.Kind(value))
	}
	config, warnings := sent.WithoutManagedFields(config)
	r.warnings = append(r.warnings, warnings...)
	return config, nil
}

// mergeConfig merges; the object is nil when nothing changes. For kubectl, conflicts
// over what its client-side apply last wrote are no conflicts.
func (r *request) mergeConfig(live, config *typed.TypedValue, have owned, id, manager string, force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
	apply := func(force bool) (*typed.TypedValue, fieldpath.ManagedFields, error) {
		return r.updater.Apply(live, config, fieldpath.APIVersion(r.apiVersion), maps.Clone(have.fields), id, force)
	}
	merged, fields, err := apply(force)
	var conflicts merge.Conflicts
	refused := errors.As(err, &conflicts)
	if err != nil && !refused {
		return nil, nil, err
	}
	left := &leftovers{}
	if r.m.o.Unions && r.liveType.HasUnions() {
		if refused {
			if merged, fields, err = apply(true); err != nil {
				return nil, nil, err
			}
		}
		if left, err = r.leftovers(merged, live, config, fields, id); err != nil {
			return nil, nil, err
		}
		if !force {
			conflicts = left.join(conflicts)
		}
	}
	if manager == clientside.Kubectl && len(conflicts) > 0 {
		if others, ok := r.notLastApplied(conflicts); ok {
			if len(others) == 0 {
				if merged, fields, err = apply(true); err != nil {
					return nil, nil, err
				}
			}
			conflicts = others
		}
	}
	if len(conflicts) == 0 {
		r.traceMerge(live, merged, left)
		merged = left.clear(r, merged, fields)
		return merged, fields, nil
	}
	r.left = left
	return nil, nil, r.conflictError(conflicts, live, config, have, manager)
}

// mergedObject is the merged object as plain data, defaulted.
func (r *request) mergedObject(merged *typed.TypedValue) (map[string]any, error) {
	object, ok := merged.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the merged object is %s, want an object", document.Kind(merged.AsValue().Unstructured()))
	}
	if r.m.o.Defaulter == nil {
		return object, nil
	}
	object, err := r.m.o.Defaulter(r.m.lend(object))
	if err != nil {
		return nil, fmt.Errorf("default: %w", err)
	}
	return object, nil
}

// maxManagerLength is how long the name of a manager may be.
const maxManagerLength = 128

// CheckManager returns a *RequestError if the API server takes no such name of a manager.
func CheckManager(manager string) error {
	if len(manager) > maxManagerLength {
		return invalid(fmt.Sprintf("fieldManager: Too long: may not be more than %d bytes", maxManagerLength))
	}
	for i, c := range manager {
		if !unicode.IsPrint(c) {
			return invalid(fmt.Sprintf("fieldManager: Invalid value: %q: invalid character %#U (at position %d)", manager, c, i))
		}
	}
	return nil
}
