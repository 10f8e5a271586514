// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// ValidateStored returns the findings that make the API server refuse to store a CRD. The argument
// object is the decoded CRD. The argument live is the CRD that it replaces, or nil for a new CRD. The
// paths of the findings are paths in object. ValidateStored returns an error if it cannot read one of
// the CRDs.
func ValidateStored(object, live map[string]any) (Findings, error) {
	now, err := readDecoded(object)
	if err != nil {
		return nil, err
	}
	if live == nil {
		return now.Validate(), nil
	}
	was, err := readDecoded(live)
	if err != nil {
		return nil, err
	}
	found, _ := now.ValidateUpdate(was)
	return found, nil
}

// readDecoded reads a decoded CRD. It ignores the managed fields.
func readDecoded(object map[string]any) (*Definition, error) {
	data, err := json.Marshal(document.WithoutManagedFields(object))
	if err != nil {
		return nil, err
	}
	all, err := Read("the definition", data)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("want one CustomResourceDefinition, found %d", len(all))
	}
	return all[0], nil
}

// ValidateUpdate validates the update of a CRD from old to d. violations lists the findings that
// make the API server reject the update. The result kept lists findings that the server tolerates,
// because old has the same finding at the same place with the same message.
//
// ValidateUpdate also checks that group, plural, kind and scope do not change, and that the CRD keeps
// each version in which objects are stored. Kind and scope may change if the status of old has
// conditions but not Established with the status True.
func (d *Definition) ValidateUpdate(old *Definition) (violations, kept Findings) {
	before := old.Validate()
	if d.doc.Beta && !old.doc.Beta {
		before = append(before[:len(before):len(before)], old.betaFindings()...)
	}
	violations, kept = ratchet(before, d.Validate())
	if d.doc.Beta && slices.ContainsFunc(old.Versions, func(v *Version) bool { return v.doc.Schema != nil && hasDefault(v.doc.Schema) }) {
		// A v1beta1 CRD that already has defaults may get further defaults in an update.
		violations = slices.DeleteFunc(violations, func(f *Finding) bool { return f.Rule == DefaultVersion })
	}
	r := &report{object: d.object, listed: violations}
	d.checkChanges(r.reading(), old)
	return r.findings(), kept
}

// ratchet splits the findings of the new CRD. violations contains the new findings, and kept
// contains the findings that the old CRD also has. Findings are the same if they have the same
// rule, message and place. The place is the name of the version and the path within it. The message
// contains the invalid value, so a different invalid value causes a new finding.
func ratchet(old, now Findings) (violations, kept Findings) {
	type identity struct {
		rule            Rule
		origin, message string
	}
	before := map[identity]bool{}
	for _, f := range old {
		before[identity{f.Rule, f.Origin, f.Message}] = true
	}
	for _, f := range now {
		if before[identity{f.Rule, f.Origin, f.Message}] {
			kept = append(kept, f)
		} else {
			violations = append(violations, f)
		}
	}
	return violations, kept
}

// checkChanges reports forbidden changes in an update of a CRD.
func (d *Definition) checkChanges(r reading, old *Definition) {
	var root *tree.Place
	silent := (&report{}).reading() // this report is discarded
	mustEqual := func(at *tree.Place, was, is string) {
		if was != is {
			r.add(Changed, at, "want %s as before, found %s; it must not change, because stored objects depend on it", tree.OrNone(tree.Shorten(was, tree.MaxValue)), tree.OrNone(tree.Shorten(is, tree.MaxValue)))
		}
	}
	names := d.doc.SpecAt.At("names")
	mustEqual(d.doc.SpecAt.At("group"), old.Group, d.Group)
	mustEqual(names.At("plural"), old.Plural, d.Plural)
	status := silent.Mapping(old.object.Content, root, "status")
	if old.established(status) {
		mustEqual(names.At("kind"), old.Kind, d.Kind)
		mustEqual(d.doc.SpecAt.At("scope"), silent.Text(old.doc.Spec, nil, "scope"), silent.Text(d.doc.Spec, nil, "scope"))
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
			r.add(StoredVersionGone, d.doc.SpecAt.At("versions"), "the version %s is missing, but objects are stored in it; keep the version", tree.Shorten(name, tree.MaxValue))
		}
	}
}

// established reports whether the status of a CRD has the condition Established. A CRD
// without any conditions counts as established.
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
