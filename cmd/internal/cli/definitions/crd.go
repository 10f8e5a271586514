// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package definitions

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// translate returns the changes that add generated rules to a CRD. It also adds the rules to a
// report.
func translate(r *command.Run, o *manifest.Object, options celOptions, out *CELReport) ([]manifest.Change, error) {
	d := crd.New(o)
	dialect := cel.Portable
	if options.dialect == "newest" {
		dialect = cel.Newest
	}
	t, err := cel.Translate(d, cel.Options{Dialect: dialect, IgnoreItemOrder: options.anyOrder, Policy: options.policy})
	var found crd.Findings
	if errors.As(err, &found) {
		return nil, manifestErrors(found)
	}
	if err != nil {
		return nil, err
	}
	out.marked = cel.HasMarkers(d)
	if !cel.HasMarkers(d) && cel.HasGeneratedRules(d) {
		out.marked = true
		start := o.Start()
		r.Warnf("%s", words.Visible((&manifest.Error{File: start.File, Line: start.Line, Message: o.Identity().Name +
			" has rules that were generated from immutability markers, but the markers themselves are gone, because API servers drop them: the rules are kept"}).Error()))
	}
	for _, x := range t.Rules {
		out.Rules = append(out.Rules, celRule{x.Path, x.Marked, x.Marker, x.FieldPath, x.Message, x.Rule})
	}
	for _, p := range t.RemovableParents() {
		at := manifest.Error{File: p.Document, Line: p.Line, Path: p.Field, Message: removableMessage(p)}
		r.Notef("%s", words.Visible(at.Error()))
	}
	out.Inexact = celDoubts(t.Doubts)
	for _, x := range t.Missing {
		m := celMissing{x.Document, x.Line, x.Marked, x.Marker, x.Message, []celBound{}}
		for _, b := range x.Bounds {
			m.Bounds = append(m.Bounds, celBound{b.Document, b.Line, b.Path, b.Keyword, b.Most})
		}
		out.Missing = append(out.Missing, m)
	}
	for _, x := range t.Removed {
		out.Removed = append(out.Removed, celRemoved{x.Document, x.Line, x.Path, x.Marker, x.Field, x.Rule, x.Message})
	}
	if options.policy {
		policies, uncovered := t.Policy()
		out.Policies, out.uncovered = policies, celDoubts(uncovered)
	}
	if options.strip {
		return t.Strip(), nil
	}
	return t.Changes(), nil
}

// removableMessage describes an object that clients can remove together with marked fields, and how
// to prevent this.
func removableMessage(p cel.RemovableParent) string {
	marked, more := p.Marked, ""
	if len(marked) > 3 {
		marked, more = marked[:3], fmt.Sprintf(" and %d more", len(marked)-3)
	}
	property, remove, prevent := "optional", "remove it together with", "add required: ["+p.Name+"] to the schema around it"
	switch {
	case p.Optional && p.Nullable:
		property, prevent = "optional and nullable", prevent+" and remove nullable"
	case p.Nullable:
		property, remove, prevent = "nullable", "set it to null, which removes", "remove nullable"
	}
	return fmt.Sprintf("this object is %s in %s, so a client can %s %s%s, and add it again with other values; "+
		"to prevent this, %s, or mark it with x-kubernetes-immutable", property, p.Version, remove, strings.Join(marked, ", "), more, prevent)
}

func celDoubts(doubts []cel.Doubt) []celDoubt {
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

func lintCRD(o *manifest.Object) []finding {
	d := crd.New(o)
	prevents := map[*crd.Finding][]crd.Unchecked{}
	for _, u := range d.Unchecked() {
		prevents[u.Cause] = append(prevents[u.Cause], u)
	}
	var all []finding
	for _, f := range slices.Concat(d.Validate(), d.Lint()) {
		found := withSeverity(finding{File: f.Document, Line: f.Line, Path: f.Path, Rule: string(f.Rule), Message: f.Message, about: o.Identity().Name, origin: f.Origin}, false)
		if f.Fix != nil {
			found.Fix, found.change = f.Fix.Summary, &f.Fix.Change
		}
		for _, u := range prevents[f] {
			found.prevents = append(found.prevents, uncheckedPart{u.Path, ruleNames(u.Rules)})
		}
		all = append(all, found)
	}
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(a.Line, b.Line) })
	return all
}

func ruleNames(rules []crd.Rule) (names []string) {
	for _, r := range rules {
		names = append(names, string(r))
	}
	return names
}

// rejectedUpdates returns the errors for which an API server would reject the update from an old
// CRD to a new CRD, such as an invalid default. Like the server, it tolerates errors that the old
// CRD already has.
func rejectedUpdates(old, now *sources.Types) (changes []typeChange) {
	type name struct{ group, plural string }
	applies := formatsApply(old, now)
	before := map[name]*crd.Definition{}
	for _, d := range definitions(old) {
		before[name{d.Group, d.Plural}] = d
	}
	for _, d := range definitions(now) {
		found := d.Validate()
		if was := before[name{d.Group, d.Plural}]; was != nil {
			found, _ = d.ValidateUpdate(was)
			found = append(found, newBounds(d, was, applies)...)
		} else {
			found = append(found, newBounds(d, nil, applies)...)
		}
		for _, f := range found {
			changes = append(changes, typeChange{
				at:         manifest.Position{File: f.Document, Line: f.Line},
				apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", crd: d.Object().Identity().Name, path: f.Path, rule: string(f.Rule), message: f.Message,
			})
		}
	}
	return changes
}

// newBounds returns findings about bounds in a CRD, such as a maximum, that do not fit the number
// format of their field. It leaves out formats that the new release does not enforce. It also
// leaves out a finding that the old CRD already has, if the old release enforces the format. The
// argument applies is a result of formatsApply.
func newBounds(d, was *crd.Definition, applies func(since string) (before, after bool)) (found crd.Findings) {
	key := func(f *crd.Finding) string { return f.Origin + "\x00" + f.Message }
	old := map[string]bool{}
	if was != nil {
		for _, f := range was.Lint() {
			if before, _ := applies(f.Since); before && f.Rule == crd.BoundFormat {
				old[key(f)] = true
			}
		}
	}
	for _, f := range d.Lint() {
		if _, after := applies(f.Since); after && f.Rule == crd.BoundFormat && !old[key(f)] {
			found = append(found, f)
		}
	}
	return found
}

// formatsApply returns a function that reports whether the old and the new release enforce a number
// format. The argument since of this function is the first release that enforces the format. An
// unknown old or new release counts as the newest release.
func formatsApply(old, now *sources.Types) func(since string) (before, after bool) {
	applies := func(t *sources.Types, since string) bool {
		release, err := version.ParseGeneric(t.Catalog.Release())
		if since == "" || err != nil {
			return true
		}
		return release.AtLeast(version.MustParseGeneric(since))
	}
	return func(since string) (bool, bool) { return applies(old, since), applies(now, since) }
}

// definitions returns the CRDs of t. If several CRDs have the same group and plural, definitions
// returns only the last one. The types of objects also come from the last one.
func definitions(t *sources.Types) (all []*crd.Definition) {
	index := map[resource]int{}
	for _, doc := range t.CRDs {
		found, _ := crd.Read(doc.Name, doc.Data) // the catalog has already read the file without an error
		for _, d := range found {
			key := resource{d.Group, d.Plural}
			if i, ok := index[key]; ok {
				all[i] = d
				continue
			}
			index[key] = len(all)
			all = append(all, d)
		}
	}
	return all
}
