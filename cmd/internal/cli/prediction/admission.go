// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// refuse says that admission refuses the request for o, or that policies cannot be asked about it.
func (o *Outcome) refuse(e *predict.PoliciesError) {
	message := "policies cannot be asked: " + e.Error() + howToKnow(e)
	var refused *fieldmanager.RequestError
	if errors.As(e, &refused) {
		message, o.Denied, o.refusedStatus = refused.Message, true, refused.Status
	}
	o.Errors = manifest.Errors{o.Object.Errorf("", "%s", message)}
	o.Result = nil
}

// admit has LimitRanges and the validating policies judge the result of a request, as a server does once
// nothing else is wrong with it, and notes what policies said.
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
			o.Warn("", "is not evaluated: "+text)
		}
	}
}

// unknownAdmission is what a server asks besides policies, and what is not predicted.
var unknownAdmission = []string{"admission webhooks", "resource quotas"}

// Admitted is what policies said of the request, and what of its admission was not
// evaluated; asked is false if there are no policies.
func (o *Outcome) Admitted() (audit map[string]string, notEvaluated []string, asked bool) {
	if o.Maker == nil || o.Maker.policies == nil || o.request == nil {
		return nil, nil, false
	}
	said := o.request.Admitted()
	return said.Audit, append(unknownAdmission[:len(unknownAdmission):len(unknownAdmission)], said.Unknown...), true
}
