// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/box"
)

// The stages of a prediction, besides those of package fieldmanager. First come the stages of
// the object that was sent and of the live object. The stages from StageMetadata to
// StageDefaulted follow for an update before it is merged, for an apply after
// fieldmanager.StageMerged. The stages from StageAdmission to StageGeneration follow for an
// update after fieldmanager.StageOwners, for an apply before fieldmanager.StageReset.
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
	// StageAdmission adds the values of the admission plugins that are on by default.
	StageAdmission fieldmanager.Stage = "object changed by admission plugins"
	// StagePolicies applies mutating policies. It occurs only with Server.Policies.
	StagePolicies fieldmanager.Stage = "object changed by mutating policies"
	// StageStrategy applies the strategy of a built-in kind: the Go code that a server runs
	// before it stores an object.
	StageStrategy fieldmanager.Stage = "object changed by the strategy of the kind"
	// StageEncoded writes an object of a built-in kind as its Go type does once more.
	StageEncoded fieldmanager.Stage = "object encoded for the store"
	// StageGeneration counts metadata.generation.
	StageGeneration fieldmanager.Stage = "generation counted"
	// StageScaled is part of an update of the subresource scale only: the replicas get the
	// owners that a server notes.
	StageScaled fieldmanager.Stage = "owners of a scale noted"
	// StageReadBack is the last stage. It reads a custom resource as the store returns it: in
	// the version that is stored, with the defaults of fields that the endpoint did not store.
	StageReadBack fieldmanager.Stage = "object read back from the store"
)

// trace calls Request.Trace.
func (p *PreparedRequest) trace(stage fieldmanager.Stage, before, after map[string]any) {
	if trace := p.request.Trace; trace != nil && !p.untraced {
		trace(stage, before, after)
	}
}

// traceMerge returns the Trace of the field manager of an apply. A field manager that refuses an
// apply predicts its outcome to explain the conflicts; that is not traced.
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

// traceResult traces a stage that makes one result of another.
func (p *PreparedRequest) traceResult(stage fieldmanager.Stage, before, after *fieldmanager.Result) {
	if p.request.Trace != nil {
		p.trace(stage, before.Object, after.Object)
	}
}

// traceGo traces a stage that writes an object as its Go type does. There is none for other
// objects, unless it changes them.
func (p *PreparedRequest) traceGo(stage fieldmanager.Stage, before, after map[string]any) {
	if p.request.Trace != nil && (p.server.inGo(after) || !box.SameMap(before, after)) {
		p.trace(stage, before, after)
	}
}
