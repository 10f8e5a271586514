// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// refuse records an error if admission rejects the request, or if policies cannot be
// evaluated. It clears o.Result.
func (o *Outcome) refuse(e *predict.PoliciesError) {
	message := "policies cannot be evaluated: " + e.Error() + missingInputHint(e)
	var refused *fieldmanager.RequestError
	if errors.As(e, &refused) {
		message, o.Denied, o.refusedStatus = refused.Message, true, refused.Status
	}
	o.Errors = manifest.Errors{o.Object.Errorf("", "%s", message)}
	o.Result = nil
}

// checkSecurity checks a new object against the Pod security labels of its Namespace, as an API
// server does. It finds the Namespace among the other objects of the input. If the command reads a
// cluster, an object without a namespace is checked in the cluster's default namespace.
func checkSecurity(t *sources.Types, o *Outcome, object map[string]any, others Others) {
	if c := t.Cluster(); c != nil && document.MetaString(object, "namespace") == "" {
		var metadata map[string]any
		object, metadata = document.WithMetadata(object)
		metadata["namespace"] = c.Namespace()
	}
	s := predictor(t, o)
	s.PodSecurity, s.Others = podSecurity(t), others
	warnings, err := s.CheckPodSecurity(object, nil, "")
	for _, text := range warnings {
		o.Warn("", text)
	}
	var refused *predict.PoliciesError
	if errors.As(err, &refused) {
		before := o.Errors
		o.refuse(refused)
		o.Errors, o.Denied = append(before, o.Errors...), o.Denied && len(before) == 0
	}
}

// admit runs the admission checks on the result of a request: LimitRanges, PodSecurity and
// validating policies. Like a server, it runs them only if the result has passed all other checks.
// It adds all warnings of the server to the outcome.
func (o *Outcome) admit() {
	if o.request == nil || o.Result == nil || len(o.Errors)+len(o.Immutable) > 0 {
		return
	}
	var refused *predict.PoliciesError
	if errors.As(o.request.Validate(o.Result), &refused) {
		o.refuse(refused)
	}
	for _, text := range o.request.ServerWarnings() {
		o.Warn("", text)
	}
	if said := o.request.Admitted(); said != nil {
		for _, text := range said.Warnings {
			o.Warn("", text)
		}
		for _, text := range said.Unknown {
			o.Warn("", "not evaluated: "+text)
		}
	}
}

// unknownAdmission lists the admission steps of a server that a prediction leaves out.
var unknownAdmission = []string{"admission webhooks", "resource quotas"}

// Admitted returns the audit annotations that policies add, and the names of the admission checks
// that were not evaluated. If the command has no policies to evaluate, asked is false.
func (o *Outcome) Admitted() (audit map[string]string, notEvaluated []string, asked bool) {
	if o.Maker == nil || o.Maker.policies == nil || o.request == nil {
		return nil, nil, false
	}
	said := o.request.Admitted()
	return said.Audit, append(unknownAdmission[:len(unknownAdmission):len(unknownAdmission)], said.Unknown...), true
}
