// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"slices"
)

// ValidateUpdate returns what is wrong with d as the successor of old. For
// offences the update is refused. kept is what was wrong in old in the same way
// at the same place, and is allowed to stay.
//
// Besides what Validate checks: group, plural, kind and scope cannot change, and
// a version in which objects are stored cannot go. Kind and scope can as long as
// the status of old says that it is not established.
func (d *Definition) ValidateUpdate(old *Definition) (offences, kept Findings) {
	before := old.Validate()
	if d.doc.Beta && !old.doc.Beta {
		before = append(before[:len(before):len(before)], old.betaFindings()...)
	}
	offences, kept = ratchet(before, d.Validate())
	if d.doc.Beta && slices.ContainsFunc(old.Versions, func(v *Version) bool { return v.doc.Schema != nil && hasDefault(v.doc.Schema) }) {
		// Who has defaults may have more.
		offences = slices.DeleteFunc(offences, func(f *Finding) bool { return f.Rule == DefaultVersion })
	}
	r := &report{object: d.object, listed: offences}
	d.changed(r.reading(), old)
	return r.findings(), kept
}

// ratchet divides what was found in a CRD into what is new and what was there
// before: findings of the same rule, at the same place of the version of the
// same name, with the same message, which holds the offending value. It works
// for any rule, so that a new one needs no ratcheting of its own.
func ratchet(old, now Findings) (offences, kept Findings) {
	type offence struct {
		rule            Rule
		origin, message string
	}
	before := map[offence]bool{}
	for _, f := range old {
		before[offence{f.Rule, f.Origin, f.Message}] = true
	}
	for _, f := range now {
		if before[offence{f.Rule, f.Origin, f.Message}] {
			kept = append(kept, f)
		} else {
			offences = append(offences, f)
		}
	}
	return offences, kept
}

// changed reports what no update can change.
func (d *Definition) changed(r reading, old *Definition) {
	var root *tree.Place
	silent := (&report{}).reading() // old is not to be judged
	fixed := func(at *tree.Place, was, is string) {
		if was != is {
			r.add(Changed, at, "want %s as before, found %s; objects are stored by it", tree.OrNone(tree.Shorten(was, tree.MaxValue)), tree.OrNone(tree.Shorten(is, tree.MaxValue)))
		}
	}
	names := d.doc.SpecAt.At("names")
	fixed(d.doc.SpecAt.At("group"), old.Group, d.Group)
	fixed(names.At("plural"), old.Plural, d.Plural)
	status := silent.Mapping(old.object.Content, root, "status")
	if old.established(status) {
		fixed(names.At("kind"), old.Kind, d.Kind)
		fixed(d.doc.SpecAt.At("scope"), silent.Text(old.doc.Spec, nil, "scope"), silent.Text(d.doc.Spec, nil, "scope"))
	}
	stored := silent.Texts(status, nil, "storedVersions")
	if len(stored) == 0 {
		for _, v := range old.Versions {
			if v.Storage {
				stored = append(stored, v.Name)
			}
		}
	}
	for _, name := range stored {
		if _, ok := d.Version(name); !ok {
			r.add(Changed, d.doc.SpecAt.At("versions"), "want the version %s to stay, since objects are stored in it", tree.Shorten(name, tree.MaxValue))
		}
	}
}

// established says whether a CRD is, as far as its status tells; without one it
// is taken to be.
func (d *Definition) established(status map[string]any) bool {
	conditions, _ := status["conditions"].([]any)
	if len(conditions) == 0 {
		return true
	}
	return slices.ContainsFunc(conditions, func(v any) bool {
		c, _ := v.(map[string]any)
		return c["type"] == "Established" && c["status"] == "True"
	})
}
