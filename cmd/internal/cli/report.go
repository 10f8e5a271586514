// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// report is what -o report prints of one object. Its form is part of the
// command line's contract.
type report struct {
	// What the report is about: empty of input that could not be read.
	objectReport
	Object    map[string]any    `json:"object"`
	Changed   bool              `json:"changed"`
	Conflicts []conflictReport  `json:"conflicts"`
	Defaulted []string          `json:"defaulted"`
	Immutable []immutableReport `json:"immutable"`
	Warnings  []warningReport   `json:"warnings"`
	Errors    []errorReport     `json:"errors"`
	// Outcomes are there if there are conflicts, Settled if they were chosen.
	Outcomes *outcomesReport  `json:"outcomes,omitempty"`
	Settled  *[]settledReport `json:"settled,omitempty"`
	// Differences are there of dovetail diff.
	Differences *[]differenceReport `json:"differences,omitempty"`
}

type immutableReport struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Old    any    `json:"old"`
	New    any    `json:"new"`
}

type warningReport struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

type errorReport struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// errorReports returns errors for a report, an empty list if there are none.
func errorReports(errs manifest.Errors) []errorReport {
	reports := make([]errorReport, len(errs))
	for i, e := range errs {
		reports[i] = errorReport{e.File, e.Line, e.Column, e.Path, e.Message}
	}
	return reports
}

func (o *outcome) report() report {
	object, changed := o.final()
	p := report{
		objectReport: o.identity(),
		Object:       object,
		Changed:      changed,
		Conflicts:    []conflictReport{},
		Defaulted:    append([]string{}, o.defaulted...),
		Immutable:    []immutableReport{},
		Warnings:     []warningReport{},
		Errors:       errorReports(o.errors),
	}
	own := o.hasOutcomes()
	for i := range o.conflicts {
		p.Conflicts = append(p.Conflicts, o.reportConflict(&o.conflicts[i], own))
	}
	if len(o.conflicts) > 0 {
		p.Outcomes = o.reportAll()
	}
	if o.maker != nil && o.maker.chosen() {
		p.Settled = reportSettled(o.settled)
	}
	for i := range o.immutable {
		p.Immutable = append(p.Immutable, reportImmutable(&o.immutable[i]))
	}
	for _, w := range o.warnings {
		p.Warnings = append(p.Warnings, warningReport{w.path, w.message})
	}
	if o.diff != nil {
		p.Differences = o.diff.report()
	}
	return p
}

func reportImmutable(f *fieldmanager.ImmutableField) immutableReport {
	r := immutableReport{Path: f.Path.String(), Reason: f.Message}
	if f.Hint != "" {
		r.Reason += ": " + f.Hint
	}
	if f.Old != nil {
		r.Old = f.Old.Unstructured()
	}
	if f.New != nil {
		r.New = f.New.Unstructured()
	}
	return r
}

// output is the flag -o.
type output struct {
	form    string
	allowed []string
	// list says that there may be several objects, so that JSON is a List though one
	// is left.
	list bool
}

// The forms of output.
const (
	formYAML   = "yaml"
	formJSON   = "json"
	formReport = "report"
	formText   = "text"
)

// register adds the flag; the first of the allowed forms is the default.
func (o *output) register(flags *pflag.FlagSet, allowed ...string) {
	o.allowed = allowed
	flags.StringVarP(&o.form, "output", "o", allowed[0], "form of the result: "+strings.Join(allowed, ", "))
	oneOf(flags, "output", allowed...)
}

func (o *output) check() error {
	for _, a := range o.allowed {
		if o.form == a {
			return nil
		}
	}
	hint := ""
	if o.form == formJSON && slices.Contains(o.allowed, formReport) {
		hint = "; report is JSON"
	}
	return usagef("-o %s: want %s%s", o.form, strings.Join(o.allowed, ", "), hint)
}

// write writes objects: YAML documents, or one JSON value, a List if there are
// several.
func (o *output) write(w io.Writer, objects []map[string]any) error {
	if o.form == formJSON {
		if len(objects) == 1 && !o.list {
			return writeJSON(w, objects[0])
		}
		return writeJSON(w, map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	}
	for i, object := range objects {
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		if err := writeYAML(w, object); err != nil {
			return err
		}
	}
	return nil
}

// reports writes the reports: one, or a list of them if there are several.
func (r *run) reports(outcomes []*outcome) error {
	all := make([]report, len(outcomes))
	for i, o := range outcomes {
		all[i] = o.report()
	}
	if len(all) == 1 {
		return writeJSON(&r.out, all[0])
	}
	return writeReports(&r.out, all)
}

// maxIndented is how many reports are written for people, too. A longer list has a line
// for each, which is less than half as large.
const maxIndented = 100

// writeReports writes a list of reports.
func writeReports[R any](w io.Writer, all []R) error {
	if len(all) <= maxIndented {
		return writeJSON(w, all)
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	before := "["
	for i := range all {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if err := lines.Encode(all[i]); err != nil {
			return err
		}
		before = ","
	}
	_, err := io.WriteString(w, "]\n")
	return err
}

// messages writes what is to be said of the outcomes besides their results.
func (r *run) messages(outcomes []*outcome) {
	summariseConflicts(r.env.Stderr, outcomes)
	inFull := maxInFull
	for _, o := range outcomes {
		for _, w := range o.warnings {
			path := w.path
			if path != "" {
				path += ": "
			}
			fmt.Fprintln(r.env.Stderr, visible(fmt.Sprintf("%s: warning: %s%s", w.at, path, w.message)))
		}
		for _, e := range o.errors {
			fmt.Fprintln(r.env.Stderr, visible(e.Error()))
		}
		inFull = o.writeConflicts(r.env.Stderr, inFull)
		for i := range o.immutable {
			writeImmutable(r.env.Stderr, o, &o.immutable[i])
		}
	}
}

// worst returns the exit status of several outcomes.
func worst(outcomes []*outcome) int {
	status := StatusDone
	for _, o := range outcomes {
		status = max(status, o.status())
	}
	return status
}

// finish writes outcomes whose results are objects. All is
// written or nothing: a part of a set is not what was asked for.
func (r *run) finish(outcomes []*outcome, form *output) error {
	r.messages(outcomes)
	status := worst(outcomes)
	switch {
	case form.form == formReport:
		if err := r.reports(outcomes); err != nil {
			return err
		}
	case status == StatusDone:
		objects := make([]map[string]any, len(outcomes))
		for i, o := range outcomes {
			objects[i], _ = o.final()
			objects[i] = r.masks.reveal(objects[i])
		}
		if err := form.write(&r.out, objects); err != nil {
			return err
		}
	}
	r.status = status
	return nil
}
