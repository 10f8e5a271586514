// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package definitions

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/upgrade"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// resource identifies a definition independent of its versions.
type resource struct{ group, plural string }

// byResource returns the definitions of some sources by resource.
func byResource(t *sources.Types) map[resource]*crd.Definition {
	all := map[resource]*crd.Definition{}
	for _, d := range definitions(t) {
		all[resource{d.Group, d.Plural}] = d
	}
	return all
}

// breakingChanges returns the changes by which new definitions would reject, drop or change existing
// objects.
func breakingChanges(old, now *sources.Types) (changes []typeChange) {
	is := byResource(now)
	for _, was := range definitions(old) {
		d := is[resource{was.Group, was.Plural}]
		if d == nil {
			changes = append(changes, typeChange{
				at: was.Object().Start(), apiVersion: was.Group, kind: was.Kind, path: ".", rule: "crd-gone", old: was.Object().Identity().Name,
				message: "the new definitions do not have this CRD: if you delete the CRD, its objects are deleted, too",
			})
			continue
		}
		for _, c := range upgrade.Compare(was, d) {
			apiVersion := was.Group
			if c.Version != "" {
				apiVersion += "/" + c.Version
			}
			changes = append(changes, typeChange{at: c.At, apiVersion: apiVersion, kind: was.Kind, path: c.Path, rule: c.Rule, old: c.Old, now: c.New, message: c.Message})
		}
	}
	return changes
}

// narrowedValues returns the values that the old schema of a document accepts and the new
// schema rejects.
func narrowedValues(old, now map[string]any) (changes []typeChange) {
	for _, c := range upgrade.CompareValues(old, now) {
		changes = append(changes, typeChange{path: c.Path, rule: c.Rule, old: c.Old, now: c.New, message: c.Message})
	}
	return changes
}

// breaksObject returns a function that finds fields of a live object that only the new
// definitions reject, drop or change.
func breaksObject(old, now *sources.Types) func(o *manifest.Object) []objectMove {
	was, is := definitions(old), definitions(now)
	return func(o *manifest.Object) []objectMove {
		a, b := versionOf(was, o.Identity()), versionOf(is, o.Identity())
		if a == nil || b == nil {
			return nil // another finding is about the missing version
		}
		found, err := brokenFields(a, b, o)
		if err != nil {
			return nil // the definition itself has this error
		}
		return found
	}
}

func brokenFields(was, is *crd.Version, o *manifest.Object) (found []objectMove, err error) {
	id := o.Identity()
	before, err := was.Validate(o.Content, nil)
	if err != nil {
		return nil, err
	}
	after, err := is.Validate(o.Content, nil)
	if err != nil {
		return nil, err
	}
	for _, f := range after {
		if slices.ContainsFunc(before, func(g *crd.Finding) bool { return g.Rule == f.Rule && g.Path == f.Path && g.Message == f.Message }) {
			continue
		}
		reason := "refused"
		if f.Rule == crd.ObjectUnknown {
			reason = "dropped"
		}
		found = append(found, objectMove{at: o.Position(f.Path), object: id, reason: reason, path: f.Path, why: f.Message})
	}
	a, err := was.Default(o.Content)
	if err != nil {
		return nil, err
	}
	b, err := is.Default(o.Content)
	if err != nil {
		return nil, err
	}
	for _, path := range changedDefaults(a, b, "") {
		found = append(found, objectMove{at: o.Position(path.at), object: id, reason: "default", path: path.at,
			why: "a default has changed: the value was " + text(path.old) + " and will be " + text(path.now)})
	}
	return found, nil
}

// versionOf returns the served version that defines an object, or nil if there is none.
func versionOf(all []*crd.Definition, id manifest.Identity) *crd.Version {
	for _, d := range all {
		for _, v := range d.Versions {
			if d.Kind == id.Kind && d.Group+"/"+v.Name == id.APIVersion && v.Served {
				return v
			}
		}
	}
	return nil
}
