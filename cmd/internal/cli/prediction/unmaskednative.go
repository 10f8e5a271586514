// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// unmaskedNative passes the real values of Secrets to the Go code of a release, because the
// code validates them. It masks the values again in the responses of that code.
type unmaskedNative struct {
	native predict.Native
	masks  *unstructured.Masks
}

// DecodeNative decodes object with the Go code of the release, and returns the result. object is
// the object of the outcome after defaulting. If the release has no Go code for the kind, the
// result is nil.
func DecodeNative(t *sources.Types, o *Outcome, object map[string]any, masks *unstructured.Masks) (map[string]any, error) {
	s := predictor(t, o)
	if s.Native == nil {
		return nil, nil
	}
	s.Native = unmaskedNative{s.Native, masks}
	return s.DecodeNative(unstructured.SecretAsStored(object))
}

func (u unmaskedNative) Ask(r *native.Request) (*native.Response, error) {
	plain := *r
	plain.Object = u.masks.Reveal(r.Object)
	if r.Live != nil {
		plain.Live = u.masks.Reveal(r.Live)
	}
	answer, err := u.native.Ask(&plain)
	if err != nil {
		return nil, err
	}
	masked := *answer
	if answer.Object != nil {
		masked.Object = u.masks.Hide(answer.Object)
	}
	masked.Warnings = nil
	for _, text := range answer.Warnings {
		masked.Warnings = append(masked.Warnings, u.masks.HideInText(text))
	}
	if answer.Status != nil {
		status := *answer.Status
		status.Message, status.Causes = u.masks.HideInText(status.Message), nil
		for _, c := range answer.Status.Causes {
			c.Message = u.masks.HideInText(c.Message)
			status.Causes = append(status.Causes, c)
		}
		masked.Status = &status
	}
	return &masked, nil
}
