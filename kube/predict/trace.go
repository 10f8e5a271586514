// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/box"
)

// These are the stages of a prediction, in addition to the stages of the merge, which package
// fieldmanager defines. A prediction starts with the stages of the sent object and of the live
// object. The order of the other stages depends on the verb:
//
//   - In an update, the stages from StageMetadata to StageDefaulted come before the merge.
//     The stages from StageAdmission to StageGeneration come after fieldmanager.StageOwners.
//   - In an apply, the stages from StageMetadata to StageDefaulted come after
//     fieldmanager.StageMerged. The stages from StageAdmission to StageGeneration come before
//     fieldmanager.StageReset.
const (
	// StageReceived removes the namespace of the sent object if the kind is cluster-scoped.
	StageReceived fieldmanager.Stage = "sent object received"
	// StageLiveConverted converts the live object to the version of the request.
	StageLiveConverted fieldmanager.Stage = "live object converted to the version of the request"
	// StageLiveDecoded converts the live object of a built-in kind to the form of its Go type.
	StageLiveDecoded fieldmanager.Stage = "live object decoded from the store"
	// StageLiveDefaulted sets missing defaults in the live object. A custom resource loses
	// fields that its definition does not declare.
	StageLiveDefaulted fieldmanager.Stage = "live object pruned and defaulted"

	// StageMetadata restores the metadata that only the server sets. In an update, it removes
	// repeated owner references. In a Secret, it moves stringData to data.
	StageMetadata fieldmanager.Stage = "server-set metadata restored"
	// StageDecoded converts an object of a built-in kind to the form of its Go type. In an
	// update, the object also loses fields that its type does not declare.
	StageDecoded fieldmanager.Stage = "object decoded"
	// StageDefaulted sets defaults. A custom resource loses fields that its definition does
	// not declare.
	StageDefaulted fieldmanager.Stage = "object pruned and defaulted"
	// StageAdmission runs the admission plugins that are on by default.
	StageAdmission fieldmanager.Stage = "object changed by admission plugins"
	// StagePolicies runs the mutating policies. It occurs only with Server.Policies.
	StagePolicies fieldmanager.Stage = "object changed by mutating policies"
	// StageStrategy runs the strategy of a built-in kind, which is Go code that a server runs
	// before it stores an object.
	StageStrategy fieldmanager.Stage = "object changed by the strategy of the kind"
	// StageEncoded converts an object of a built-in kind to the form of its Go type once more.
	StageEncoded fieldmanager.Stage = "object encoded for the store"
	// StageGeneration sets metadata.generation.
	StageGeneration fieldmanager.Stage = "generation counted"
	// StageScaled changes the owners of the replicas like a server. It occurs only in an
	// update of the scale subresource.
	StageScaled fieldmanager.Stage = "ownership of the replicas updated"
	// StageReadBack is the last stage. It reads a custom resource back in the storage version,
	// including defaults in fields that the endpoint did not store.
	StageReadBack fieldmanager.Stage = "object read back from the store"
)

// trace calls Request.Trace, if it is set.
func (p *PreparedRequest) trace(stage fieldmanager.Stage, before, after map[string]any) {
	if trace := p.request.Trace; trace != nil && !p.untraced {
		trace(stage, before, after)
	}
}

// traceMerge returns the Trace function for the field manager of an apply. After a
// conflict, the field manager also computes a forced apply, to explain the conflict. The
// trace does not contain the stages of this forced apply.
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

// traceResult calls Trace for a stage that turns one result into another.
func (p *PreparedRequest) traceResult(stage fieldmanager.Stage, before, after *fieldmanager.Result) {
	if p.request.Trace != nil {
		p.trace(stage, before.Object, after.Object)
	}
}

// traceGo calls Trace for a stage that converts an object to the form of its Go type. If
// the Go type is not known, it calls Trace only if the object changed.
func (p *PreparedRequest) traceGo(stage fieldmanager.Stage, before, after map[string]any) {
	if p.request.Trace != nil && (p.server.hasGoType(after) || !box.SameMap(before, after)) {
		p.trace(stage, before, after)
	}
}
