// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// A Stage is a step of a request that may change an object. Its text is a description for
// users.
type Stage string

// The stages of Apply and Update, in this order; see Options.Trace.
const (
	// StagePrepared changes the sent object. The result is in the version of the endpoint,
	// without the managed fields of a config, and without the duplicates that
	// Options.Duplicates removes. With Options.EqualQuantities, equal quantities are written as
	// in the live object. Each Apply and Update begins with this stage.
	StagePrepared Stage = "sent object prepared for the merge"
	// StageZeroes is part of an Apply with Options.ZeroIsAbsent: the live object gets the
	// zero values that managers applied and the server did not store.
	StageZeroes Stage = "live object with the zero values that managers applied"
	// StageMerged is part of an Apply: before is the live object, after the merged one.
	StageMerged Stage = "config merged into the live object"
	// StageUnions clears the members of unions that are no longer chosen. The stage occurs
	// only if there are any.
	StageUnions Stage = "members of unions cleared"
	// StageLastApplied is part of an Apply by the manager kubectl: the annotation of
	// client-side apply changes with the config.
	StageLastApplied Stage = "annotation of client-side apply updated"
	// StageReset restores the fields that the endpoint does not store, see
	// Options.ResetFields.
	StageReset Stage = "fields that the endpoint does not store restored"
	// StageOwners writes the managed fields. The argument before of Options.Trace has the
	// managed fields that the request started with. Times may differ even if nothing is
	// stored.
	StageOwners Stage = "managed fields updated"
)

// trace calls Options.Trace.
func (r *request) trace(stage Stage, before, after map[string]any) {
	if r.m.o.Trace != nil {
		r.m.o.Trace(stage, before, after)
	}
}

// traceMerge traces the merge of config into live. merged is nil if nothing changes.
func (r *request) traceMerge(live, merged *typed.TypedValue, left *leftovers) {
	if r.m.o.Trace == nil {
		return
	}
	before := plainObject(live)
	after := before
	if merged != nil {
		after = plainObject(merged)
	}
	r.trace(StageMerged, before, after)
	if len(left.members) > 0 {
		r.trace(StageUnions, after, plainObject(left.normalized))
	}
}

// traceOwners traces the managed fields of object.
func (r *request) traceOwners(object map[string]any, before, after *managedfields.Managed) {
	if r.m.o.Trace != nil {
		r.trace(StageOwners, before.EncodeInto(object), after.EncodeInto(object))
	}
}

// plainObject returns a typed object as plain data.
func plainObject(tv *typed.TypedValue) map[string]any {
	object, _ := tv.AsValue().Unstructured().(map[string]any)
	return object
}
