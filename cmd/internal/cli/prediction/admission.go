// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// refuse records that admission rejects the request for o, or that policies cannot be evaluated.
func (o *Outcome) refuse(e *predict.PoliciesError) {
	message := "policies cannot be evaluated: " + e.Error() + missingInputHint(e)
	var refused *fieldmanager.RequestError
	if errors.As(e, &refused) {
		message, o.Denied, o.refusedStatus = refused.Message, true, refused.Status
	}
	o.Errors = manifest.Errors{o.Object.Errorf("", "%s", message)}
	o.Result = nil
}

// admit checks the result of a request against LimitRanges and validating policies, and adds their
// warnings to o. Like a server, it does so only if all other checks have passed.
func (o *Outcome) admit() {
	if o.request == nil || o.Result == nil || len(o.Errors)+len(o.Immutable) > 0 {
		return
	}
	var refused *predict.PoliciesError
	if errors.As(o.request.Validate(o.Result), &refused) {
		o.refuse(refused)
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

// unknownAdmission lists the parts of admission that a server has and a prediction leaves out.
var unknownAdmission = []string{"admission webhooks", "resource quotas"}

// Admitted returns the audit annotations of policies, and the parts of admission that were not
// evaluated. asked is false if there are no policies.
func (o *Outcome) Admitted() (audit map[string]string, notEvaluated []string, asked bool) {
	if o.Maker == nil || o.Maker.policies == nil || o.request == nil {
		return nil, nil, false
	}
	said := o.request.Admitted()
	return said.Audit, append(unknownAdmission[:len(unknownAdmission):len(unknownAdmission)], said.Unknown...), true
}
