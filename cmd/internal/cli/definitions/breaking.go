// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package definitions

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/upgrade"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// resource identifies a CRD by its group and plural, which are the same in all its versions.
type resource struct{ group, plural string }

// byResource returns the CRDs of t by resource.
func byResource(t *sources.Types) map[resource]*crd.Definition {
	all := map[resource]*crd.Definition{}
	for _, d := range definitions(t) {
		all[resource{d.Group, d.Plural}] = d
	}
	return all
}

// breakingChanges returns the changes that break existing objects, because the new definitions
// reject, drop or change values in them.
func breakingChanges(old, now *sources.Types) (changes []typeChange) {
	is := byResource(now)
	for _, was := range definitions(old) {
		d := is[resource{was.Group, was.Plural}]
		if d == nil {
			changes = append(changes, typeChange{
				at: was.Object().Start(), apiVersion: was.Group, kind: was.Kind, path: ".", rule: "crd-gone", old: was.Object().Identity().Name,
				message: "this CRD is not in the new definitions: if you delete it from a cluster, its objects are deleted, too",
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

// newVersions returns the versions that only the new definitions serve, and new storage versions.
// It skips CRDs with a conversion webhook.
func newVersions(old, now *sources.Types) (all []newVersion) {
	is := byResource(now)
	for _, was := range definitions(old) {
		d := is[resource{was.Group, was.Plural}]
		if d == nil || d.Kind != was.Kind {
			continue
		}
		for _, v := range upgrade.NewVersions(was, d) {
			all = append(all, newVersion{kind: d.Kind, stored: d.Group + "/" + v.Stored, apiVersion: d.Group + "/" + v.Name, served: v.Served, storage: v.Storage})
		}
	}
	return all
}

// narrowedValues compares the old and the new version of a schema in an OpenAPI document. It
// returns the changes that narrow the accepted values, so that the new schema rejects some values
// that the old one accepts.
func narrowedValues(old, now map[string]any) (changes []typeChange) {
	for _, c := range upgrade.CompareValues(old, now) {
		changes = append(changes, typeChange{path: c.Path, rule: c.Rule, old: c.Old, now: c.New, message: c.Message})
	}
	return changes
}

// breaksInNewVersion returns a function that checks one live object against a new version. If the
// new version is the storage version, the function returns the fields that the new version rejects
// or drops. Otherwise, it returns only duplicate list items, because all other problems affect only
// clients that choose the new version.
func breaksInNewVersion(old, now *sources.Types) func(o *manifest.Object, v newVersion) []objectMove {
	was, is := definitions(old), definitions(now)
	return func(o *manifest.Object, v newVersion) (found []objectMove) {
		id := o.Identity()
		id.APIVersion = v.apiVersion
		a, b := versionOf(was, o.Identity()), versionOf(is, id)
		if a == nil || b == nil {
			return nil // no client reads the object in the old version
		}
		converted := maps.Clone(o.Content)
		converted["apiVersion"] = v.apiVersion
		all, err := brokenFields(a, b, o, converted, true)
		if err != nil {
			return nil // another finding reports this error in the definition
		}
		for _, m := range all {
			switch {
			case m.reason == "refused" && v.served && (v.storage || m.duplicate):
				m.why = "in the new version " + b.Name + ": " + m.why
			case m.reason == "dropped" && v.storage:
				m.why = "the new storage version " + b.Name + " does not have this field: the next write of the object drops it"
			default:
				continue
			}
			m.newVersion = b.Name
			found = append(found, m)
		}
		return found
	}
}

// breaksObject returns a function that checks one live object against the old and the new
// definitions. The function returns the fields that the new definitions reject, drop or default
// differently. If the old definitions already reject a field, the function marks it. The argument
// changes lists the differences between the definitions. If a definition is invalid, the function cannot
// check the object, and calls unchecked.
func breaksObject(old, now *sources.Types, changes []typeChange, unchecked func(manifest.Identity)) func(o *manifest.Object) []objectMove {
	was, is := definitions(old), definitions(now)
	type kind struct{ apiVersion, name string }
	stricter := map[kind]bool{}
	for _, c := range changes {
		if c.rule == "rule-added" {
			stricter[kind{c.apiVersion, c.kind}] = true
		}
	}
	return func(o *manifest.Object) []objectMove {
		a, b := versionOf(was, o.Identity()), versionOf(is, o.Identity())
		if a == nil || b == nil {
			return nil // another finding reports the missing version
		}
		id := o.Identity()
		found, err := brokenFields(a, b, o, o.Content, stricter[kind{id.APIVersion, id.Kind}])
		if err != nil {
			unchecked(id)
			return nil // another finding reports this error in the definition
		}
		return found
	}
}

// brokenFields returns the fields of an object that the new version rejects, drops or defaults
// differently. A field that the old version already rejects has the reason alreadyInvalid.
// converted is the content of the object with the apiVersion of the new version. stricterRules is
// true if the new version has additional validation rules.
func brokenFields(was, is *crd.Version, o *manifest.Object, converted map[string]any, stricterRules bool) (found []objectMove, err error) {
	id := o.Identity()
	before, err := was.Validate(o.Content, nil)
	if err != nil {
		return nil, err
	}
	after, err := is.Validate(converted, nil)
	if err != nil {
		return nil, err
	}
	for _, f := range after {
		if f.Rule == crd.ObjectUnchecked {
			continue // other findings explain why the value was not checked
		}
		m := objectMove{at: o.Position(f.Path), object: id, reason: "refused", path: f.Path, why: f.Message, duplicate: f.Rule == crd.ObjectDuplicate}
		switch i := slices.IndexFunc(before, func(g *crd.Finding) bool { return sameMistake(g, f, stricterRules) }); {
		case i >= 0 && before[i].Message != f.Message:
			m.reason, m.why = alreadyInvalid, "already invalid with the old CRD: "+before[i].Message+"; the new CRD reports: "+f.Message
		case i >= 0:
			m.reason, m.why = alreadyInvalid, "already invalid with the old CRD: "+f.Message
		case f.Rule == crd.ObjectUnknown:
			m.reason = "dropped"
		}
		found = append(found, m)
	}
	a, err := was.Default(o.Content)
	if err != nil {
		return nil, err
	}
	b, err := is.Default(converted)
	if err != nil {
		return nil, err
	}
	for _, d := range changedDefaults(a, b, "") {
		m := objectMove{at: o.Position(d.at), object: id, reason: "default", path: d.at,
			why: "a default has changed, so the value changes from " + text(d.old) + " to " + text(d.now)}
		if d.old == nil && !was.Declares(d.steps) {
			m.reason, m.why = newFieldDefault, "the field is new: in this object, clients will read its default "+text(d.now)
		}
		found = append(found, m)
	}
	return found, nil
}

// sameMistake reports whether the old and the new definition reject a value for the same reason.
// It does not compare the messages, because they can differ for the same mistake: a message can
// list the values of an enum, for example. stricterRules is true if the new definition has
// additional validation rules.
func sameMistake(old, now *crd.Finding, stricterRules bool) bool {
	if old.Rule != now.Rule || old.Path != now.Path {
		return false
	}
	sameRule := old.Served != nil && now.Served != nil && old.Served.Detail == now.Served.Detail
	return now.Rule != crd.ObjectRule || !stricterRules || sameRule
}

// versionOf returns the definition of an object's API version and kind. It returns nil if no CRD
// serves them.
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
