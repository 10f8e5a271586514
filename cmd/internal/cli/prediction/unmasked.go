// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package prediction

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// unmaskedPolicies passes the real values of Secrets to policies, because policies may check
// them. It masks the values again in the results of the policies.
type unmaskedPolicies struct {
	policies predict.Policies
	masks    *unstructured.Masks
}

func (u unmaskedPolicies) Mutate(a *predict.Admission) (*predict.AdmissionResult, error) {
	return u.answer(u.policies.Mutate(u.plain(a)))
}

func (u unmaskedPolicies) Validate(a *predict.Admission) (*predict.AdmissionResult, error) {
	return u.answer(u.policies.Validate(u.plain(a)))
}

func (u unmaskedPolicies) plain(a *predict.Admission) *predict.Admission {
	plain := *a
	plain.Object, plain.Live = u.masks.Reveal(a.Object), u.masks.Reveal(a.Live)
	return &plain
}

func (u unmaskedPolicies) answer(a *predict.AdmissionResult, err error) (*predict.AdmissionResult, error) {
	if err != nil {
		var refused *fieldmanager.RequestError
		if errors.As(err, &refused) {
			err = &fieldmanager.RequestError{Status: refused.Status, Message: u.masks.HideInText(refused.Message)}
		}
		return nil, err
	}
	masked := *a
	masked.Object, masked.Warnings, masked.Audit = u.masks.Hide(a.Object), nil, map[string]string{}
	for _, text := range a.Warnings {
		masked.Warnings = append(masked.Warnings, u.masks.HideInText(text))
	}
	for key, text := range a.Audit {
		masked.Audit[key] = u.masks.HideInText(text)
	}
	return &masked, nil
}
