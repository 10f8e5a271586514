// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/box"
)

// The stages of a prediction that are not those of package fieldmanager. Prepare has the
// stages of the live object and, for an update, of the object that was sent. What is merged
// goes through the others: for an apply between fieldmanager.StageMerged and
// fieldmanager.StageReset, for an update after fieldmanager.StageOwners.
const (
	// StageReceived takes the namespace out of the object that was sent if its kind has none.
	StageReceived fieldmanager.Stage = "sent object received"
	// StageLiveConverted brings the live object into the version of the request.
	StageLiveConverted fieldmanager.Stage = "live object converted to the version of the request"
	// StageLiveDecoded writes a live object of a built-in kind as its Go type does.
	StageLiveDecoded fieldmanager.Stage = "live object decoded from the store"
	// StageLiveDefaulted gives the live object the defaults that it lacks, and takes out
	// fields that the definition of a custom resource does not have.
	StageLiveDefaulted fieldmanager.Stage = "live object pruned and defaulted"

	// StageMetadata restores the metadata that only the server sets, and moves stringData of
	// a Secret into its data.
	StageMetadata fieldmanager.Stage = "metadata that only the server sets restored"
	// StageDecoded writes an object of a built-in kind as its Go type does. An update loses
	// fields that its type does not know.
	StageDecoded fieldmanager.Stage = "object decoded"
	// StageDefaulted fills in defaults, and takes out fields that the definition of a custom
	// resource does not have.
	StageDefaulted fieldmanager.Stage = "object pruned and defaulted"
	// StageAdmission is what admission plugins write that are on by default.
	StageAdmission fieldmanager.Stage = "object changed by admission plugins"
	// StagePolicies is what mutating policies write. There is none without Server.Policies.
	StagePolicies fieldmanager.Stage = "object changed by mutating policies"
	// StageStrategy is what the strategy of a built-in kind writes.
	StageStrategy fieldmanager.Stage = "object changed by the strategy of the kind"
	// StageEncoded writes an object of a built-in kind as its Go type does once more.
	StageEncoded fieldmanager.Stage = "object encoded for the store"
	// StageGeneration counts metadata.generation.
	StageGeneration fieldmanager.Stage = "generation counted"
	// StageScaled is part of an update of the subresource scale only: the replicas get the
	// owners that a server notes.
	StageScaled fieldmanager.Stage = "owners of a scale noted"
	// StageReadBack is the last one. It reads a custom resource as the store returns it:
	// fields that the endpoint did not store, and the version that is stored, may add
	// defaults.
	StageReadBack fieldmanager.Stage = "object read back from the store"
)

// trace calls Request.Trace.
func (p *Prepared) trace(stage fieldmanager.Stage, before, after map[string]any) {
	if trace := p.Request.Trace; trace != nil && !p.untraced {
		trace(stage, before, after)
	}
}

// traceMerge returns the Trace of the field manager of an apply. A field manager that refuses an
// apply asks for its outcome, to say more about the conflicts: that is not traced.
func (p *Prepared) traceMerge() func(stage fieldmanager.Stage, before, after map[string]any) {
	trace := p.Request.Trace
	if trace == nil || !p.Request.Verb.IsApply() {
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

// traceResult traces a stage that makes one result of another.
func (p *Prepared) traceResult(stage fieldmanager.Stage, before, after *fieldmanager.Result) {
	if p.Request.Trace != nil {
		p.trace(stage, before.Object, after.Object)
	}
}

// traceGo traces a stage that writes an object as its Go type does. There is none for other
// objects, unless it changes them.
func (p *Prepared) traceGo(stage fieldmanager.Stage, before, after map[string]any) {
	if p.Request.Trace != nil && (p.server.inGo(after) || !box.SameMap(before, after)) {
		p.trace(stage, before, after)
	}
}
