// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"maps"
	"slices"
	"strconv"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// Policies evaluates the admission policies of an API server for each request. A Set of
// package kube/policy implements it. An error of type *fieldmanager.RequestError rejects
// the request.
type Policies interface {
	// Mutate is called after the request is merged and has its defaults. Fields that Mutate
	// changes have no owner.
	Mutate(*Admission) (*AdmissionResult, error)
	// Validate is called with the object that is about to be stored. The field Object of its
	// result is ignored.
	Validate(*Admission) (*AdmissionResult, error)
}

// Admission is a request in the form that policies receive.
type Admission struct {
	Request *Request
	// Object is the object to store, without its managed fields. Live is the live object, or
	// nil. Implementations must modify neither object.
	Object, Live map[string]any
	// Default returns an object with the defaults of its version, as a server does when it
	// decodes the object.
	Default func(map[string]any) (map[string]any, error)
}

// AdmissionResult is the result of evaluating policies.
type AdmissionResult struct {
	// Object is the object after Mutate. It may be Admission.Object itself.
	Object map[string]any
	// Warnings lists the warnings for the client.
	Warnings []string
	// Unknown lists the policies that apply to the request but could not be evaluated, each
	// with the reason.
	Unknown []string
	// Audit contains the annotations for the audit event.
	Audit map[string]string
}

// PoliciesError means that policies or admission plugins reject a request, or that
// policies cannot be evaluated.
type PoliciesError struct{ Err error }

func (e *PoliciesError) Error() string { return e.Err.Error() }

func (e *PoliciesError) Unwrap() error { return e.Err }

// mutate runs the mutating policies on an object.
func (p *PreparedRequest) mutate(object map[string]any) (map[string]any, error) {
	if p.mutated, p.mutatedOwners = nil, nil; p.server.Policies == nil {
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
	after, uids := withoutRepeatedOwners(answer.Object)
	p.mutatedOwners = repeatedOwnersWarning(uids, " after mutating admission happens")
	return withManagedFields(after, object), nil
}

func (p *PreparedRequest) admission(object map[string]any) *Admission {
	a := &Admission{Request: p.request, Object: object, Default: p.refill}
	if p.Live != nil {
		a.Live = document.WithoutManagedFields(p.Live)
	}
	return a
}

// refill sets the defaults of an object again, after policies have added values to it.
func (p *PreparedRequest) refill(object map[string]any) (map[string]any, error) {
	object, _ = p.decoded(object)
	object, _, err := p.server.Fill(object, p.request.Type, p.carries, p.request.Time)
	if err != nil {
		return nil, err
	}
	object, _ = p.decoded(object)
	return object, nil
}

// Mutate runs the mutating policies on the result of a merge, unless the merge has already run
// them. A merge does not run these policies for an apply that changes nothing.
//
// After the apply of a Scale, Mutate returns the result for the object being scaled, and sets
// p.Live to the live version of that object.
//
// Server.Predict calls Mutate. If you do not use Predict, call Mutate after the merge, then
// Validate, then Prediction. The error is a *PoliciesError, or another error that Predict can
// return.
func (p *PreparedRequest) Mutate(result *fieldmanager.Result) (*fieldmanager.Result, error) {
	if p.scale != nil {
		return p.updateScaled(result)
	}
	if (p.server.Policies == nil || p.mutated != nil) && (p.nativeAnswered || !p.usesNative()) {
		return result, nil
	}
	return p.stored(result)
}

// Validate checks the object that is about to be stored. It evaluates the known LimitRanges,
// PodSecurity and the validating policies. If one of these rejects the object, the error is a
// *PoliciesError. If the request creates an object and sets a resourceVersion, the storage of the
// server rejects the object, and the error is a *fieldmanager.RequestError.
func (p *PreparedRequest) Validate(result *fieldmanager.Result) (err error) {
	if err := p.checkLimits(result.Object); err != nil {
		return err
	}
	if p.securityWarnings, err = p.server.CheckPodSecurity(result.Object, p.Live, p.request.Subresource); err != nil {
		return err
	}
	if p.server.Policies == nil {
		return p.checkNew()
	}
	answer, err := p.server.Policies.Validate(p.admission(document.WithoutManagedFields(result.Object)))
	if err != nil {
		return &PoliciesError{err}
	}
	p.validated = answer
	return p.checkNew()
}

// checkNew returns an error if the request creates an object and sets a resourceVersion.
func (p *PreparedRequest) checkNew() error {
	if p.request.Verb != Create || p.request.DryRun {
		return nil
	}
	return CheckNew(p.request.Object)
}

// CheckNew returns a *fieldmanager.RequestError if the storage of a server rejects a new object,
// because the object has a resourceVersion. The storage checks only a resourceVersion that is a
// number, and 0 counts as unset. It checks no dry runs.
func CheckNew(object map[string]any) error {
	if n, err := strconv.ParseUint(document.MetaString(object, "resourceVersion"), 10, 64); err == nil && n > 0 {
		return &fieldmanager.RequestError{Status: httpstatus.Internal, Message: "resourceVersion should not be set on objects to be created"}
	}
	return nil
}

// ServerWarnings returns the warnings that the server sends to the client. The list is
// complete after Validate.
func (p *PreparedRequest) ServerWarnings() []string {
	return slices.Concat(p.sentOwners, p.mutatedOwners, p.nativeWarnings, p.securityWarnings)
}

// Admitted returns the combined results of the policies that have run so far. It returns nil
// if Server.Policies is nil.
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

// sameStored reports whether two objects are equal, apart from the times in managed
// fields.
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
