// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// Policies are what an API server asks of each request, besides its own plugins; a Set of
// package kube/policy is one. An error that is a *fieldmanager.RequestError is a refusal.
type Policies interface {
	// Mutate is asked once the request is merged and defaulted. What it changes is owned by
	// nobody.
	Mutate(*Admission) (*AdmissionResult, error)
	// Validate is asked for what is about to be stored. The object of its answer does not
	// count.
	Validate(*Admission) (*AdmissionResult, error)
}

// Admission is a request as policies see it.
type Admission struct {
	Request *Request
	// Object is what is to be stored, without its managed fields, and Live the live object,
	// nil if there is none. Neither may be written to.
	Object, Live map[string]any
	// Default is an object of that version as the server decodes it, with its defaults.
	Default func(map[string]any) (map[string]any, error)
}

// AdmissionResult is the answer of policies.
type AdmissionResult struct {
	// Object is what Mutate made of the object, or that itself.
	Object map[string]any
	// Warnings are those that the client gets.
	Warnings []string
	// Unknown says of policies that apply to the request and were not evaluated which they
	// are, and why.
	Unknown []string
	// Audit are the annotations of the audit event.
	Audit map[string]string
}

// PoliciesError is that policies or admission plugins refuse a request, or that policies cannot
// be asked.
type PoliciesError struct{ Err error }

func (e *PoliciesError) Error() string { return e.Err.Error() }

func (e *PoliciesError) Unwrap() error { return e.Err }

// mutate is an object as policies change it.
func (p *PreparedRequest) mutate(object map[string]any) (map[string]any, error) {
	if p.mutated = nil; p.server.Policies == nil {
		return object, nil
	}
	plain := document.WithoutManagedFields(object)
	answer, err := p.server.Policies.Mutate(p.admission(plain))
	if err != nil {
		return nil, &PoliciesError{err}
	}
	if p.mutated = answer; document.Equal(answer.Object, plain) {
		return object, nil
	}
	return withManagedFields(answer.Object, object), nil
}

func (p *PreparedRequest) admission(object map[string]any) *Admission {
	a := &Admission{Request: p.request, Object: object, Default: p.filledAgain}
	if p.Live != nil {
		a.Live = document.WithoutManagedFields(p.Live)
	}
	return a
}

// filledAgain is an object that a policy has changed with the defaults of what that added.
func (p *PreparedRequest) filledAgain(object map[string]any) (map[string]any, error) {
	object, _ = p.decoded(object)
	object, _, err := p.server.Fill(object, p.request.Type, p.carries, p.request.Time)
	if err != nil {
		return nil, err
	}
	object, _ = p.decoded(object)
	return object, nil
}

// Mutate is a merged request as mutating policies change it, if the merge did not ask them:
// an apply that merges nothing does not. Whoever does not merge with Server.Predict calls it
// then, and Validate before Prediction. The error is a *PoliciesError.
func (p *PreparedRequest) Mutate(result *fieldmanager.Result) (*fieldmanager.Result, error) {
	if (p.server.Policies == nil || p.mutated != nil) && (p.nativeAnswered || !p.asksNative()) {
		return result, nil
	}
	return p.stored(result)
}

// Validate has LimitRanges, as far as they are known, and validating policies judge what is
// about to be stored. The error is a *PoliciesError.
func (p *PreparedRequest) Validate(result *fieldmanager.Result) error {
	if err := p.beyondLimits(result.Object); err != nil {
		return err
	}
	if p.server.Policies == nil {
		return nil
	}
	answer, err := p.server.Policies.Validate(p.admission(document.WithoutManagedFields(result.Object)))
	if err != nil {
		return &PoliciesError{err}
	}
	p.validated = answer
	return nil
}

// Admitted is what policies said so far, nil if there are none.
func (p *PreparedRequest) Admitted() *AdmissionResult {
	if p.server.Policies == nil {
		return nil
	}
	all := &AdmissionResult{Audit: map[string]string{}}
	for _, a := range []*AdmissionResult{p.mutated, p.validated} {
		if a != nil {
			all.Warnings = append(all.Warnings, a.Warnings...)
			all.Unknown = append(all.Unknown, a.Unknown...)
			maps.Copy(all.Audit, a.Audit)
		}
	}
	return all
}

// sameStored says whether two objects are stored alike: times of managed fields alone are
// no change.
func sameStored(a, b map[string]any) bool {
	return document.Equal(document.WithoutManagedFields(a), document.WithoutManagedFields(b)) && sameOwners(a, b)
}

func sameOwners(a, b map[string]any) bool {
	if document.Equal(document.Metadata(a)["managedFields"], document.Metadata(b)["managedFields"]) {
		return true
	}
	x, err := managedfields.Decode(a)
	if err != nil {
		return false
	}
	y, err := managedfields.Decode(b)
	return err == nil && x.EqualExceptTimes(y)
}
