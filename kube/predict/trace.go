// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/box"
)

// These are the stages of a prediction. Package fieldmanager has the stages of the merge. A
// prediction starts with the stages of the sent object and of the live object. The stages from
// StageMetadata to StageDefaulted come before the merge in an update, and after
// fieldmanager.StageMerged in an apply. The stages from StageAdmission to StageGeneration come
// after fieldmanager.StageOwners in an update, and before fieldmanager.StageReset in an apply.
const (
	// StageReceived removes the namespace of the sent object if its kind is
	// cluster-scoped.
	StageReceived fieldmanager.Stage = "sent object received"
	// StageLiveConverted brings the live object into the version of the request.
	StageLiveConverted fieldmanager.Stage = "live object converted to the version of the request"
	// StageLiveDecoded converts a live object of a built-in kind to the form of its Go
	// type.
	StageLiveDecoded fieldmanager.Stage = "live object decoded from the store"
	// StageLiveDefaulted fills in missing defaults of the live object, and removes fields
	// that the definition of a custom resource does not have.
	StageLiveDefaulted fieldmanager.Stage = "live object pruned and defaulted"

	// StageMetadata restores the metadata that only the server sets, and moves stringData of
	// a Secret into its data.
	StageMetadata fieldmanager.Stage = "metadata that only the server sets restored"
	// StageDecoded converts an object of a built-in kind to the form of its Go type. The
	// object of an update loses fields that its type does not declare.
	StageDecoded fieldmanager.Stage = "object decoded"
	// StageDefaulted fills in defaults, and removes fields that the definition of a
	// custom resource does not have.
	StageDefaulted fieldmanager.Stage = "object pruned and defaulted"
	// StageAdmission adds the values of the admission plugins that are on by default.
	StageAdmission fieldmanager.Stage = "object changed by admission plugins"
	// StagePolicies applies mutating policies. It occurs only with Server.Policies.
	StagePolicies fieldmanager.Stage = "object changed by mutating policies"
	// StageStrategy applies the strategy of a built-in kind: the Go code that a server runs
	// before it stores an object.
	StageStrategy fieldmanager.Stage = "object changed by the strategy of the kind"
	// StageEncoded converts an object of a built-in kind to the form of its Go type again.
	StageEncoded fieldmanager.Stage = "object encoded for the store"
	// StageGeneration sets metadata.generation.
	StageGeneration fieldmanager.Stage = "generation counted"
	// StageScaled changes the owners of the replicas as a server does. Only an update of
	// the subresource scale has this stage.
	StageScaled fieldmanager.Stage = "owners of a scale noted"
	// StageReadBack is the last stage. It reads a custom resource from the store in the storage
	// version, with the defaults of fields that the endpoint did not store.
	StageReadBack fieldmanager.Stage = "object read back from the store"
)

// trace calls Request.Trace.
func (p *PreparedRequest) trace(stage fieldmanager.Stage, before, after map[string]any) {
	if trace := p.request.Trace; trace != nil && !p.untraced {
		trace(stage, before, after)
	}
}

// traceMerge returns the Trace of the field manager of an apply. If an apply conflicts, the
// field manager also computes the result of a forced apply to explain the conflicts. The trace
// does not contain this computation.
func (p *PreparedRequest) traceMerge() func(stage fieldmanager.Stage, before, after map[string]any) {
	trace := p.request.Trace
	if trace == nil || !p.request.Verb.IsApply() {
		return trace
	}
	return func(stage fieldmanager.Stage, before, after map[string]any) {
		switch stage {
		case fieldmanager.StagePrepared:
			p.untraced = true
		case fieldmanager.StageMerged:
			p.untraced = false
		}
		trace(stage, before, after)
	}
}

// traceResult calls Trace for a stage that changes a result.
func (p *PreparedRequest) traceResult(stage fieldmanager.Stage, before, after *fieldmanager.Result) {
	if p.request.Trace != nil {
		p.trace(stage, before.Object, after.Object)
	}
}

// traceGo traces a stage that converts an object to the form of its Go type. If the
// object has no known Go type, it traces the stage only if the object changed.
func (p *PreparedRequest) traceGo(stage fieldmanager.Stage, before, after map[string]any) {
	if p.request.Trace != nil && (p.server.hasGoType(after) || !box.SameMap(before, after)) {
		p.trace(stage, before, after)
	}
}
