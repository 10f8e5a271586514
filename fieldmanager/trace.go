// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// A Stage is a step of a request that may change an object. Its text describes the step for
// users.
type Stage string

// These are the stages of Apply and Update, in this order (see Options.Trace).
const (
	// StagePrepared prepares the sent object for the merge. It removes the managed fields, and
	// duplicates (see Options.Duplicates). It also converts the object of an Update to the version
	// of the endpoint. With Options.EqualQuantities, it gives equal quantities the text that they
	// have in the live object. This is the first stage of every Apply and Update.
	StagePrepared Stage = "sent object prepared for the merge"
	// StageZeroes is part of an Apply with Options.ZeroIsAbsent. It adds some zero values to the
	// live object: values that managers applied, but that the server did not store.
	StageZeroes Stage = "live object with the zero values that managers applied"
	// StageMerged is part of an Apply. It merges the config into the live object, which has the zero
	// values of StageZeroes.
	StageMerged Stage = "config merged into the live object"
	// StageUnions clears the members of unions that are no longer selected (see Options.Unions).
	// This stage occurs only if the request clears a member. It keeps members that the request
	// itself sets.
	StageUnions Stage = "members of unions cleared"
	// StageLastApplied is part of an Apply by the manager kubectl. If the object has the annotation
	// of client-side apply, this stage writes the config into the annotation, or removes the
	// annotation if it would be too large.
	StageLastApplied Stage = "annotation of client-side apply updated"
	// StageReset restores the fields that the endpoint does not store (see
	// Options.ResetFields).
	StageReset Stage = "fields of other endpoints restored"
	// StageOwners writes the managed fields. The object before this stage has the managed fields of
	// the live object. The two objects may have different time stamps even if the server would
	// store nothing.
	StageOwners Stage = "managed fields updated"
)

// trace reports a stage to Options.Trace.
func (r *request) trace(stage Stage, before, after map[string]any) {
	if r.m.options.Trace != nil {
		r.m.options.Trace(stage, before, after)
	}
}

// traceMerge calls Options.Trace for two stages: the merge of a config into the live object, and
// the clearing of union members. The argument merged is nil if the merge does not change the
// object. The argument cleared is the merged object without the cleared members, or merged itself
// if no member is cleared.
func (r *request) traceMerge(live, merged, cleared *typed.TypedValue) {
	if r.m.options.Trace == nil {
		return
	}
	before := plainObject(live)
	after := before
	if merged != nil {
		after = plainObject(merged)
	}
	r.trace(StageMerged, before, after)
	if cleared != merged {
		r.trace(StageUnions, after, plainObject(cleared))
	}
}

// traceOwners reports the change of the managed fields of object to Options.Trace.
func (r *request) traceOwners(object map[string]any, before, after *managedfields.Managed) {
	if r.m.options.Trace != nil {
		r.trace(StageOwners, before.EncodeInto(object), after.EncodeInto(object))
	}
}

// plainObject returns a typed object as plain data. It returns nil if the value is not a map, which
// is impossible for a validated object.
func plainObject(tv *typed.TypedValue) map[string]any {
	object, _ := tv.AsValue().Unstructured().(map[string]any)
	return object
}
