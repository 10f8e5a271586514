// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"io"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Report is the report about one object for -o report. Its format is a stable part of the
// command line.
type Report struct {
	ObjectReport
	// Object is the resulting object, or null if there is none.
	Object map[string]any `json:"object"`
	// Changed reports whether the result differs from the live object.
	Changed   bool             `json:"changed"`
	Conflicts []conflictReport `json:"conflicts"`
	// Defaulted lists the paths of the fields that got a default.
	Defaulted []string `json:"defaulted"`
	// Origins maps the path of each default of a built-in kind to the source of the default.
	Origins map[string]string `json:"origins,omitempty"`
	// OnlyServer lists the paths in the stored object whose values only a server knows, such as a
	// generated IP address. It is left out if the command makes no request.
	OnlyServer *[]string `json:"onlyServer,omitempty"`
	// Immutable lists the forbidden changes of immutable fields.
	Immutable []immutableReport `json:"immutable"`
	Warnings  []WarningReport   `json:"warnings"`
	Errors    []ErrorReport     `json:"errors"`
	// NotEvaluated lists the admission checks of a server that the prediction does not make.
	// It is left out if the command evaluates no policies.
	NotEvaluated *[]string `json:"notEvaluated,omitempty"`
	// Audit holds the annotations that policies add to the audit event. It is left out if
	// there are none.
	Audit map[string]string `json:"audit,omitempty"`
	// Proposals lists the flags in use that enable proposed behavior, together with their
	// KEPs. No released API server has this behavior. The list is left out if it is empty.
	Proposals []string `json:"proposals,omitempty"`
	// Kubectl describes the changes that kubectl makes with further requests after the apply. It
	// is left out if kubectl sends none.
	Kubectl *kubectlReport `json:"kubectl,omitempty"`
	// Staying lists fields that the config leaves out, probably to remove them, but that the apply
	// keeps.
	Staying []stayingReport `json:"staying,omitempty"`
	// AppliedBy lists the managers that have applied the live object. It is left out if the
	// manager of the request owns fields of the object.
	AppliedBy []string `json:"appliedBy,omitempty"`
	// Outcomes holds the outcomes of the three ways to resolve all conflicts together. It is
	// left out if there are no conflicts.
	Outcomes *outcomesReport `json:"outcomes,omitempty"`
	// Resolved lists the conflicts that flags resolved. It is left out if the command line has
	// no such flags.
	Resolved *[]resolvedReport `json:"resolved,omitempty"`
}

// kubectlReport is the effect of the further requests that kubectl sends after an apply.
type kubectlReport struct {
	// Predicted reports whether the result includes these changes. If not, kubectl would make them
	// with the same config.
	Predicted bool `json:"predicted"`
	// From lists the managers whose fields kubectl transfers to the applier.
	From []string `json:"from"`
	// Removes lists the paths that kubectl's second apply removes.
	Removes []string `json:"removes"`
}

// stayingReport is one field that the config leaves out, probably to remove it, but that the apply
// keeps.
type stayingReport struct {
	Path string `json:"path"`
	// Owners lists the owners of the field after the apply.
	Owners []OwnerReport `json:"owners"`
	// GivenUp reports whether the manager's previous apply contained the field.
	GivenUp bool `json:"givenUp"`
	// Remedy describes how to remove the field.
	Remedy string `json:"remedy"`
}

// immutableReport is one forbidden change of an immutable field.
type immutableReport struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Old is the value before the change, or null if there was none.
	Old any `json:"old"`
	// New is the value after the change, or null if there is none.
	New any `json:"new"`
	// Proposal names the KEP that proposes the rule. It is left out if released API servers
	// already enforce the rule.
	Proposal string `json:"proposal,omitempty"`
}

// WarningReport is one warning.
type WarningReport struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// ErrorReport is one error.
type ErrorReport struct {
	File string `json:"file"`
	// Line is the line number, or 0 if it is unknown.
	Line int `json:"line"`
	// Column is the column number, or 0 if it is unknown.
	Column int `json:"column"`
	// Path is the path of the field. It is empty if the error concerns no field.
	Path    string `json:"path"`
	Message string `json:"message"`
}

// ErrorReports converts errors for a report. If there are no errors, it returns an empty
// slice, not nil.
func ErrorReports(errs manifest.Errors) []ErrorReport {
	reports := make([]ErrorReport, len(errs))
	for i, e := range errs {
		reports[i] = ErrorReport{e.File, e.Line, e.Column, e.Path, e.Message}
	}
	return reports
}

// WarningReports converts the warnings of an outcome for a report. If there are no warnings,
// it returns an empty slice, not nil.
func WarningReports(o *prediction.Outcome) []WarningReport {
	reports := make([]WarningReport, len(o.Warnings))
	for i, w := range o.Warnings {
		reports[i] = WarningReport{w.Path, w.Message}
	}
	return reports
}

// Of returns the report about an outcome.
func Of(o *prediction.Outcome) Report {
	object, changed := o.Final()
	p := Report{
		ObjectReport: ReportObject(o.Object.Identity()),
		Object:       object,
		Changed:      changed,
		Conflicts:    make([]conflictReport, 0, len(o.Conflicts)),
		Defaulted:    append([]string{}, o.Defaulted...),
		Origins:      o.Origins,
		Immutable:    []immutableReport{},
		Warnings:     WarningReports(o),
		Errors:       ErrorReports(o.Errors),
		Proposals:    o.Proposals,
	}
	if o.Maker != nil {
		places := o.OnlyServer()
		p.OnlyServer = &places
	}
	if audit, not, asked := o.Admitted(); asked {
		p.Audit, p.NotEvaluated = audit, &not
	}
	if k := o.Kubectl; k != nil {
		p.Kubectl = &kubectlReport{Predicted: k.Predicted, From: append([]string{}, k.From...), Removes: append([]string{}, k.Removes...)}
	}
	for _, f := range o.Staying {
		r := stayingReport{Path: f.Path, Owners: []OwnerReport{}, GivenUp: f.GivenUp, Remedy: f.Remedy}
		for _, owner := range f.Owners {
			r.Owners = append(r.Owners, ReportOwner(owner))
		}
		p.Staying = append(p.Staying, r)
	}
	p.AppliedBy = o.AppliedBy
	own := hasOutcomes(o)
	for i := range o.Conflicts {
		p.Conflicts = append(p.Conflicts, reportConflict(o, &o.Conflicts[i], own))
	}
	if len(o.Conflicts) > 0 {
		p.Outcomes = reportAll(o)
	}
	if o.Maker != nil && o.Maker.Chosen() {
		p.Resolved = ReportResolved(o.Resolved)
	}
	for i := range o.Immutable {
		p.Immutable = append(p.Immutable, reportImmutable(&o.Immutable[i]))
	}
	return p
}

func reportImmutable(f *fieldmanager.ImmutableField) immutableReport {
	r := immutableReport{Path: f.Path.String(), Reason: f.Message, Proposal: f.KEP}
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

// writeImmutable writes the full description of a forbidden change.
func writeImmutable(w io.Writer, o *prediction.Outcome, f *fieldmanager.ImmutableField) {
	path := f.Path.String()
	say := func(format string, args ...any) {
		fmt.Fprintln(w, words.Visible(fmt.Sprintf(format, args...)))
	}
	say("%v: %s: %v: %s", o.Object.Position(path), f.Message, o.Object.Identity(), cmp.Or(path, "the whole object"))
	if f.Old != nil {
		say("  live   %s", words.Flow(f.Old.Unstructured()))
	} else {
		say("  live   (not set)")
	}
	if f.New != nil {
		say("  new    %s", words.Flow(f.New.Unstructured()))
	} else {
		say("  new    (not set)")
	}
	if f.Hint != "" {
		say("  note   %s", f.Hint)
	}
	if f.KEP != "" {
		say("  note   the rule is a proposal (%s): released API servers allow the change", f.KEP)
	}
	if f.Type == typed.TransitionForbidden {
		say("  fix    keep the existing items, or delete the object and create it again")
	} else {
		say("  fix    keep the old value, or delete the object and create it again")
	}
}

// OwnerReport is an owner of a field.
type OwnerReport struct {
	Manager    string                  `json:"manager"`
	Operation  managedfields.Operation `json:"operation"`
	APIVersion string                  `json:"apiVersion"`
	// Subresource is the subresource through which the owner wrote. It is empty for the main
	// resource.
	Subresource string `json:"subresource"`
}

// ReportOwner converts an owner for a report.
func ReportOwner(o managedfields.Owner) OwnerReport {
	return OwnerReport{o.Manager, o.Operation, o.APIVersion, o.Subresource}
}

// Note adds a note about an object to its outcome.
func Note(o *prediction.Outcome, format string, args ...any) {
	o.Notes = append(o.Notes, words.OneLine(fmt.Sprintf("%v: ", o.Object.Identity())+fmt.Sprintf(format, args...)))
}

// Refused ends a command that failed to read its input. If err is about the input, Refused reports
// it in an outcome. It returns any other error.
func Refused(r *command.Run, err error, form *command.Output) error {
	errs, ok := input.Errors(err)
	if !ok {
		return err
	}
	t := NewOutcomeWriter(r, form)
	t.Add(t.Render(&prediction.Outcome{Errors: errs}))
	return t.End()
}
