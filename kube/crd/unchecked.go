// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Unchecked is a part of a CRD that Validate could not check.
type Unchecked struct {
	// Path is the path of the unchecked part of the CRD, for example of a default. It is empty if the
	// whole CRD is unchecked.
	Path string
	// Rules lists the rules that Validate could not check. An empty list stands for all rules.
	Rules []Rule
	// Cause is the finding that prevented the check. Validate usually returns the same finding. It
	// omits findings only if there are too many.
	Cause *Finding
}

// faults maps each place in a CRD to the first error at this place or below it.
type faults struct {
	// schema contains the errors in schemas. If a schema has such an error, its default cannot be
	// checked.
	schema map[*tree.Place]*Finding
	// rules contains the errors in CEL rules.
	rules map[*tree.Place]*Finding
}

func (s faults) clone() faults { return faults{maps.Clone(s.schema), maps.Clone(s.rules)} }

// add records an error at its place and at all places above it. It ignores errors that do not prevent
// other checks.
func (s *faults) add(f *Finding, at *tree.Place) {
	list := &s.schema
	switch f.Rule {
	case MarkerValue, MarkerPlace, MarkersExclusive, MarkerKey, MarkerVersion, openapi.KeyUnsatisfied:
		return // errors about markers and required fields do not prevent other checks
	case DefaultUnknown, openapi.DefaultValue, DefaultDuplicate, DefaultMetadata, DefaultVersion, DefaultRule, Cost:
		return
	case Validations:
		list = &s.rules
	}
	if *list == nil {
		*list = map[*tree.Place]*Finding{}
	}
	for ; at != nil && (*list)[at] == nil; at = at.Up {
		(*list)[at] = f
	}
}

// skip records that Validate could not check the rules at a place, because of the finding cause.
func (r *report) skip(at *tree.Place, cause *Finding, rules ...Rule) {
	r.unchecked = append(r.unchecked, Unchecked{at.String(), rules, cause})
}

// checkReadable reports a schema that the API server's libraries cannot read, although the schema has
// no other error. It checks only a schema with defaults, CEL rules or selectable fields, because only
// such a schema must be readable.
func (v *Version) checkReadable(r *report) {
	n := v.doc.Schema
	if r.faults.schema[n.At] != nil || !hasDefault(n) && !hasRule(n) && v.doc.Raw["selectableFields"] == nil {
		return
	}
	if err := v.structure(); err != nil {
		r.add(Malformed, n.At, "the API server cannot read the schema: %v", err)
	}
}

// readable prepares n for the API server's libraries by setting n.Structural. It returns the error
// that prevents this, or nil. Schemas outside of n may have errors.
func (v *Version) readable(r *report, n *tree.Node) *Finding {
	if f := r.faults.schema[n.At]; f != nil {
		return f
	}
	if v.structure() == nil || n.Structural != nil || n.Convert() == nil {
		return nil
	}
	return r.faults.schema[v.doc.Schema.At]
}
