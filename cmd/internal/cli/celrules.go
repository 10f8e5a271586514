// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package cli

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// translate returns the changes that give a CRD its rules, and adds what is to
// be said of them to a report.
func (r *run) translate(o *manifest.Object, options celOptions, out *celReport) ([]manifest.Change, error) {
	d := crd.FromObject(o)
	dialect := crd.Portable
	if options.dialect == "newest" {
		dialect = crd.Newest
	}
	t, err := d.Transitions(crd.TransitionOptions{Dialect: dialect, IgnoreItemOrder: options.anyOrder, Policy: options.policy})
	var found crd.Findings
	if errors.As(err, &found) {
		return nil, manifestErrors(found)
	}
	if err != nil {
		return nil, err
	}
	out.marked = out.marked || d.HasMarkers()
	if !d.HasMarkers() && d.HasMade() {
		out.marked = true
		start := o.Start()
		r.warnf("%s", visible((&manifest.Error{File: start.File, Line: start.Line, Message: o.Identity().Name +
			" has no markers of immutability, but rules that were made from some: an API server drops markers; the rules are left as they are"}).Error()))
	}
	for _, x := range t.Rules {
		out.Rules = append(out.Rules, celRule{x.Path, x.Marked, x.Marker, x.FieldPath, x.Message, x.Rule})
	}
	out.Inexact = append(out.Inexact, celDoubts(t.Doubts)...)
	for _, x := range t.Missing {
		m := celMissing{x.Document, x.Line, x.Marked, x.Marker, x.Message, []celBound{}}
		for _, b := range x.Bounds {
			m.Bounds = append(m.Bounds, celBound{b.Document, b.Line, b.Path, b.Keyword, b.Most})
		}
		out.Missing = append(out.Missing, m)
	}
	if options.policy {
		policies, left := t.Policy()
		out.Policies, out.left = append(out.Policies, policies...), append(out.left, celDoubts(left)...)
	}
	if options.strip {
		return t.Strip(), nil
	}
	return t.Changes(), nil
}

func celDoubts(doubts []crd.Doubt) []celDoubt {
	all := []celDoubt{}
	for _, d := range doubts {
		all = append(all, celDoubt{d.Document, d.Line, d.Path, d.Marked, d.Field, string(d.Reason), d.Refuses, d.Message})
	}
	return all
}

func manifestErrors(found crd.Findings) manifest.Errors {
	errs := make(manifest.Errors, len(found))
	for i, f := range found {
		errs[i] = &manifest.Error{File: f.Document, Line: f.Line, Path: f.Path, Message: f.Message}
	}
	return errs
}
