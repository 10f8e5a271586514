// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package prediction

import (
	"cmp"
	"errors"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
	"maps"
	"slices"
	"strings"
)

// This file needs kube/crd and the CEL libraries of the API server, which take longer to build
// than the rest of the command. With the build tag slim, slim.go replaces this file.

// definition returns the CRD of a custom resource, or nil if there is none.
func definition(t *sources.Types, apiVersion, kind string) predict.Definition {
	if v := t.Version(apiVersion, kind); v != nil {
		return v
	}
	return nil
}

// CheckValues checks a custom resource for errors that its type for merging does not detect, such
// as missing required fields and values out of bounds. It also checks for nulls that a server
// rejects in an apply. It adds the errors to the outcome, except those about problems that the outcome
// already has. It returns the rules that it could not check, because the object has other errors.
func CheckValues(t *sources.Types, o *Outcome) (unchecked []string) {
	id := o.Object.Identity()
	v := t.Version(id.APIVersion, id.Kind)
	if v == nil {
		return nil
	}
	found, err := v.Validate(o.Sent(), nil)
	unchecked = o.addFindings(found, err)
	if err == nil && !t.Proposals.DeclarativeDefaults {
		sent := o.Sent()
		if k, _ := t.Catalog.Kind(id.APIVersion, id.Kind); slices.Contains(k.Subresources, "status") {
			sent = maps.Clone(sent)
			delete(sent, "status") // an apply to the main endpoint does not store status
		}
		if err := v.CheckNulls(sent); err != nil {
			if e := o.nullError(err, ""); !slices.ContainsFunc(o.Errors, func(k *manifest.Error) bool { return k.Line == e.Line && k.Column == e.Column }) {
				o.Errors = append(o.Errors, e)
			}
		}
	}
	return unchecked
}

// CheckFilled adds an error for each value that the CRD rejects in an object. The object is the
// custom resource of the outcome after defaulting. CheckFilled does not check for unknown fields.
// It also does not check for duplicate list items, because the flag --duplicates handles them.
func CheckFilled(t *sources.Types, o *Outcome, object map[string]any) {
	id := o.Object.Identity()
	v := t.Version(id.APIVersion, id.Kind)
	if v == nil {
		return
	}
	found, err := v.Validate(object, nil)
	found = slices.DeleteFunc(found, func(f *crd.Finding) bool {
		return f.Rule == crd.ObjectUnknown || f.Rule == crd.ObjectDuplicate
	})
	o.noteUnchecked(o.addFindings(found, err))
}

// checkStored validates the custom resource that a request would store. Like an API server, it
// accepts invalid values that the request does not change. If a rule accepts the new object, but
// rejects the change from the live object, checkStored adds the change to o.Immutable.
func checkStored(t *sources.Types, o *Outcome) {
	id := o.Object.Identity()
	v := t.Version(id.APIVersion, id.Kind)
	result := cmp.Or(o.Result, o.Preview)
	if v == nil || result == nil {
		return
	}
	found, fixed, err := validateUpdate(t, o, v, result.Object)
	before := len(o.Errors)
	o.noteUnchecked(o.addFindings(found, err))
	if err == nil && before == 0 && len(o.Errors) > 0 {
		o.refusedStatus = httpstatus.Unprocessable
	}
	if o.Immutable = append(o.Immutable, fixed...); len(o.Immutable) > 0 && o.Result != nil {
		o.Preview, o.Result = o.Result, nil
	}
	if len(o.Errors) > 0 {
		o.Result = nil
	}
}

// invalidDefinition validates a CustomResourceDefinition that a request would store. It returns the
// problems for which a server would reject the request. The argument live is the stored definition,
// or nil.
func invalidDefinition(object, live map[string]any) ([]predict.Cause, error) {
	found, err := crd.ValidateStored(object, live)
	causes := make([]predict.Cause, len(found))
	for i, f := range found {
		causes[i] = predict.Cause{Type: "FieldValueInvalid", Field: strings.TrimPrefix(f.Path, "."), Message: f.Message}
	}
	return causes, err
}

// validateUpdate validates an object that replaces the live object of the outcome. Some rules
// reject only the change, and would accept the object if it were new. The violations of these rules
// are in the result fixed. All other findings are in the result found.
func validateUpdate(t *sources.Types, o *Outcome, v *sources.CRDVersion, object map[string]any) (found crd.Findings, fixed []fieldmanager.ImmutableField, err error) {
	object = unstructured.WithoutManagedFields(object)
	var live map[string]any
	if o.Live != nil {
		live = unstructured.WithoutManagedFields(o.Before)
	}
	found, err = v.Validate(object, live)
	// Leave out unknown fields, because the merge has reported them. Also leave out duplicates if
	// no request is predicted, because the command then reports duplicates in another way.
	request := o.Maker != nil && !t.Proposals.DeclarativeDefaults
	found = slices.DeleteFunc(found, func(f *crd.Finding) bool {
		return f.Rule == crd.ObjectUnknown || f.Rule == crd.ObjectDuplicate && !request
	})
	brokenRule := func(f *crd.Finding) bool { return f.Rule == crd.ObjectRule }
	if err != nil || live == nil || !slices.ContainsFunc(found, brokenRule) {
		return found, nil, err
	}
	alone, err := v.Validate(object, nil)
	if err != nil || slices.ContainsFunc(alone, func(f *crd.Finding) bool { return f.Rule == crd.ObjectUnchecked }) {
		return found, nil, err
	}
	found = slices.DeleteFunc(found, func(f *crd.Finding) bool {
		ofUpdate := brokenRule(f) && !slices.ContainsFunc(alone, func(a *crd.Finding) bool {
			return brokenRule(a) && a.Path == f.Path && a.Message == f.Message
		})
		if ofUpdate {
			fixed = append(fixed, brokenTransition(o.Type, live, object, f.Path, f.Message))
		}
		return ofUpdate
	})
	return found, fixed, nil
}

// Forbidden returns the changes that rules of the CRD would reject if object replaced the live
// object of the outcome. It returns an error if the rules cannot be evaluated. If the cause is that
// the object has invalid fields, the error is of type manifest.Errors and lists these fields.
func Forbidden(t *sources.Types, o *Outcome, object map[string]any) ([]fieldmanager.ImmutableField, error) {
	id := o.Object.Identity()
	v := t.Version(id.APIVersion, id.Kind)
	if v == nil {
		return nil, nil
	}
	found, fixed, err := validateUpdate(t, o, v, object)
	unchecked := func(f *crd.Finding) bool { return f.Rule == crd.ObjectUnchecked }
	if err == nil && slices.ContainsFunc(found, unchecked) {
		var errs manifest.Errors
		for _, f := range slices.DeleteFunc(found, unchecked) {
			e := o.Object.Errorf(f.Path, "%s", f.Message)
			e.Path = input.ShortenPath(e.Path)
			errs = append(errs, e)
		}
		if len(errs) == 0 {
			return fixed, errors.New("the object is invalid")
		}
		return fixed, errs
	}
	return fixed, err
}

// addFindings adds findings in a custom resource to the errors of the outcome. It returns the rules that
// were not checked, because the object has other errors.
func (o *Outcome) addFindings(found crd.Findings, err error) (unchecked []string) {
	if err != nil {
		o.Errors = append(o.Errors, o.Object.Errorf("", "values cannot be checked: %v", err))
		return nil
	}
	mergeErrors := o.Errors
	for _, f := range found {
		if f.Rule == crd.ObjectUnchecked {
			unchecked = append(unchecked, "CEL rules")
			continue
		}
		e := o.Object.Errorf(f.Path, "%s", f.Message)
		if !o.alreadyReported(f, e, mergeErrors) {
			e.Path = input.ShortenPath(e.Path)
			o.Errors = append(o.Errors, e)
		}
	}
	return unchecked
}

// alreadyReported reports whether a finding is about a problem that the merge has already found.
// The errors of the merge are in mergeErrors. The argument e is the finding as an error.
func (o *Outcome) alreadyReported(f *crd.Finding, e *manifest.Error, mergeErrors manifest.Errors) bool {
	return slices.ContainsFunc(mergeErrors, func(known *manifest.Error) bool {
		switch f.Rule {
		case crd.ObjectUnknown, crd.ObjectDuplicate:
			return true // the merge has reported all such findings
		case crd.ObjectType, crd.ObjectValue, crd.ObjectMeta:
			return o.covers(known, e)
		case crd.ObjectRequired: // a list item without its keys
			return o.isItemOrKey(f.Path, known.Path)
		}
		return false
	})
}

// brokenTransition describes a change that an x-kubernetes-validations rule forbids. path is the
// path of the rule in the new object.
func brokenTransition(t typed.ParseableType, live, object map[string]any, path, message string) fieldmanager.ImmutableField {
	f := fieldmanager.ImmutableField{Hint: "a rule in the CRD rejects the change"}
	f.Field, f.Type, f.Message = strings.TrimPrefix(path, "."), typed.TransitionInvalid, ruleMessage(message)
	f.Path = identify(t, object, f.Field)
	if old, ok := place.ObjectOf(t, live).At(f.Path); ok {
		f.Old = value.NewValueInterface(old.Plain)
	}
	if now, ok := place.ObjectOf(t, object).At(f.Path); ok {
		f.New = value.NewValueInterface(now.Plain)
	}
	return f
}

// ruleMessage returns the message of a rule. If text starts with the rejected value, as in
// "found VALUE: MESSAGE", ruleMessage removes the value.
func ruleMessage(text string) string {
	found, ok := strings.CutPrefix(text, "found ")
	if !ok {
		return text
	}
	depth, quoted := 0, false
	for i, c := range found {
		switch {
		case c == '"' && (i == 0 || found[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ':' && depth == 0:
			return strings.TrimPrefix(found[i+1:], " ")
		}
	}
	return text
}
