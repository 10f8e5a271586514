// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// What follows needs kube/crd, and with it the CEL libraries of the API server,
// which take longer to build than all the rest: see slim.go.

type crdVersion = crd.Version

// needsRules returns an error if custom resources cannot be judged.
func needsRules(string) error { return nil }

// version returns the version of a CRD that defines a kind, nil if none of the
// CRDs given does. The last one counts, as it does for the type.
func (t *types) version(apiVersion, kind string) *crdVersion {
	if t.versions == nil {
		t.versions = map[[2]string]*crdVersion{}
		for _, doc := range t.crds {
			defs, _ := crd.Read(doc.Name, doc.Data) // the catalog has read it
			for _, d := range defs {
				for _, v := range d.Versions {
					t.versions[[2]string{d.Group + "/" + v.Name, d.Kind}] = v
				}
			}
		}
	}
	return t.versions[[2]string{apiVersion, kind}]
}

// values checks what the merge type of a custom resource does not say: required
// fields, bounds, formats, rules. What the type found already is left out.
func (t *types) values(o *outcome) {
	id := o.object.Identity()
	v := t.version(id.APIVersion, id.Kind)
	if v == nil {
		return
	}
	found, err := v.Validate(o.sent(), nil)
	o.judge(found, err)
}

// completed is an object as an API server has it that has read it, if it is of a kind that
// a CRD defines: with its defaults, and without fields that the definition does not know.
func (t *types) completed(id manifest.Identity, object map[string]any) (_ map[string]any, known bool, err error) {
	v := t.version(id.APIVersion, id.Kind)
	if v == nil {
		return object, false, nil
	}
	after, err := v.Default(object)
	return after, true, err
}

// storedValues is values for what a request makes of the live object. What was wrong
// before and has not changed may stay, and rules may compare both: what only they refuse,
// and only of an update, is a change that may not be.
func (t *types) storedValues(o *outcome) {
	id := o.object.Identity()
	v := t.version(id.APIVersion, id.Kind)
	result := cmp.Or(o.result, o.preview)
	if v == nil || result == nil {
		return
	}
	found, fixed, err := t.update(o, v, result.Object)
	o.judge(found, err)
	if o.immutable = append(o.immutable, fixed...); len(o.immutable) > 0 && o.result != nil {
		o.preview, o.result = o.result, nil
	}
	if len(o.errors) > 0 {
		o.result = nil
	}
}

// update is what is wrong with an object that is to take the place of the live object of
// o, apart from what rules refuse of the update alone, which is in fixed.
func (t *types) update(o *outcome, v *crdVersion, object map[string]any) (found crd.Findings, fixed []fieldmanager.ImmutableField, err error) {
	object = withoutManagedFields(object)
	var live map[string]any
	if o.live != nil {
		live = withoutManagedFields(o.before)
	}
	found, err = v.Validate(object, live)
	found = slices.DeleteFunc(found, func(f *crd.Finding) bool {
		return f.Rule == crd.ObjectUnknown || f.Rule == crd.ObjectDuplicate // these are for the merge to say
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
			fixed = append(fixed, brokenTransition(o.typ, live, object, f.Path, f.Message))
		}
		return ofUpdate
	})
	return found, fixed, nil
}

// forbidden is what rules refuse of an update of the live object of o to another one. The
// error is why they cannot be asked.
func (t *types) forbidden(o *outcome, object map[string]any) ([]fieldmanager.ImmutableField, error) {
	id := o.object.Identity()
	v := t.version(id.APIVersion, id.Kind)
	if v == nil {
		return nil, nil
	}
	found, fixed, err := t.update(o, v, object)
	unchecked := func(f *crd.Finding) bool { return f.Rule == crd.ObjectUnchecked }
	if err == nil && slices.ContainsFunc(found, unchecked) {
		texts := []string{}
		for _, f := range slices.DeleteFunc(found, unchecked) {
			texts = append(texts, f.Error())
		}
		err = fmt.Errorf("the object is not valid: %s", strings.Join(texts, "; "))
	}
	return fixed, err
}

// judge makes findings in a custom resource errors of o.
func (o *outcome) judge(found crd.Findings, err error) {
	if err != nil {
		o.errors = append(o.errors, o.object.Errorf("", "values cannot be checked: %v", err))
		return
	}
	typed := o.errors
	for _, f := range found {
		if f.Rule == crd.ObjectUnchecked {
			o.warn(f.Path, f.Message)
			continue
		}
		e := o.object.Errorf(f.Path, "%s", f.Message)
		if !saidAlready(f, e, typed) {
			e.Path = shorten(e.Path)
			o.errors = append(o.errors, e)
		}
	}
}

// saidAlready says whether what the type found covers a finding.
func saidAlready(f *crd.Finding, e *manifest.Error, typed manifest.Errors) bool {
	return slices.ContainsFunc(typed, func(t *manifest.Error) bool {
		switch f.Rule {
		case crd.ObjectUnknown, crd.ObjectDuplicate:
			return true // the type reports all of them
		case crd.ObjectType, crd.ObjectValue:
			return t.Line == e.Line
		case crd.ObjectMeta:
			return strings.HasPrefix(t.Path, ".metadata.")
		case crd.ObjectRequired: // of an item without its keys
			return strings.HasPrefix(f.Path, t.Path+"[")
		}
		return false
	})
}

func lintCRD(o *manifest.Object) []finding {
	d := crd.FromObject(o)
	var all []finding
	for _, f := range slices.Concat(d.Validate(), d.Lint()) {
		found := finding{File: f.Document, Line: f.Line, Path: f.Path, Rule: string(f.Rule), Message: f.Message}
		if f.Fix != nil {
			found.Fix, found.change = f.Fix.Says, &f.Fix.Change
		}
		all = append(all, found)
	}
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(a.Line, b.Line) })
	return all
}

// refusedUpdates finds what keeps the API server from taking a new CRD in place
// of the old one, such as a default that is not valid. What was wrong before may
// stay.
func refusedUpdates(old, now *types) (changes []typeChange) {
	type name struct{ group, plural string }
	before := map[name]*crd.Definition{}
	for _, d := range definitions(old) {
		before[name{d.Group, d.Plural}] = d
	}
	for _, d := range definitions(now) {
		found := d.Validate()
		if was := before[name{d.Group, d.Plural}]; was != nil {
			found, _ = d.ValidateUpdate(was)
		}
		for _, f := range found {
			changes = append(changes, typeChange{
				at:         manifest.Position{File: f.Document, Line: f.Line},
				apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", path: f.Path, rule: string(f.Rule), message: f.Message,
			})
		}
	}
	return changes
}

func definitions(t *types) (all []*crd.Definition) {
	for _, doc := range t.crds {
		found, _ := crd.Read(doc.Name, doc.Data) // the catalog has read it
		all = append(all, found...)
	}
	return all
}
