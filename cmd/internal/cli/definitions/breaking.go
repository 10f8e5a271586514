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

// resource is what a definition defines, whatever its versions.
type resource struct{ group, plural string }

// byResource finds the definitions of some sources.
func byResource(t *sources.Types) map[resource]*crd.Definition {
	all := map[resource]*crd.Definition{}
	for _, d := range definitions(t) {
		all[resource{d.Group, d.Plural}] = d
	}
	return all
}

// brokenBy finds what new definitions would refuse, drop or change of what there is.
func brokenBy(old, now *sources.Types) (changes []typeChange) {
	is := byResource(now)
	for _, was := range definitions(old) {
		d := is[resource{was.Group, was.Plural}]
		if d == nil {
			changes = append(changes, typeChange{
				at: was.Object().Start(), apiVersion: was.Group, kind: was.Kind, path: ".", rule: "crd-gone", old: was.Object().Identity().Name,
				message: "the new definitions do not have it; if it is removed, all its objects are",
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

// narrowed finds what a schema of a document takes no more that another one took.
func narrowed(old, now map[string]any) (changes []typeChange) {
	for _, c := range upgrade.CompareValues(old, now) {
		changes = append(changes, typeChange{path: c.Path, rule: c.Rule, old: c.Old, now: c.New, message: c.Message})
	}
	return changes
}

// breaksObject returns what finds what new definitions refuse, drop or change of a live object
// that the old ones do not.
func breaksObject(old, now *sources.Types) func(o *manifest.Object) []objectMove {
	was, is := definitions(old), definitions(now)
	return func(o *manifest.Object) []objectMove {
		a, b := versionOf(was, o.Identity()), versionOf(is, o.Identity())
		if a == nil || b == nil {
			return nil // of which more is said
		}
		found, err := brokenObject(a, b, o)
		if err != nil {
			return nil // a definition cannot be used, which is told
		}
		return found
	}
}

func brokenObject(was, is *crd.Version, o *manifest.Object) (found []objectMove, err error) {
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
	for _, path := range otherDefaults(a, b, "") {
		found = append(found, objectMove{at: o.Position(path.at), object: id, reason: "default", path: path.at,
			why: "is read as " + text(path.now) + " where it was read as " + text(path.old) + ": a default is not as it was"})
	}
	return found, nil
}

// versionOf is the version of the definition that an object is of, nil if there is none.
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
