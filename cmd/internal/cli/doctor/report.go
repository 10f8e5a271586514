// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// Report is the report of doctor about one object. Its JSON encoding is stable.
type Report struct {
	report.ObjectReport
	// Object is the repaired object. It is null without --fix.
	Object map[string]any `json:"object"`
	// Changed reports whether the repairs change the object. It is false without --fix.
	Changed  bool                   `json:"changed"`
	Problems []problemReport        `json:"problems"`
	Warnings []report.WarningReport `json:"warnings"`
	Errors   []report.ErrorReport   `json:"errors"`
	// Stats contains the sizes of the managed fields. It is set only with --stats.
	Stats *managedStats `json:"stats,omitempty"`
}

// problemReport is one problem in managed fields or in the items of a list.
type problemReport struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Rule is the name of a rule in docs/findings.md. Later versions may add rules.
	Rule string `json:"rule"`
	// Path is the path of the problem. It is empty if the problem concerns a whole entry.
	Path string `json:"path"`
	// Owner is the owner of the entry, or null if the problem does not belong to an entry.
	Owner *report.OwnerReport `json:"owner"`
	// Time is the time of the owner's last write in RFC 3339 format, or null if it is unknown.
	Time    *string `json:"time"`
	Message string  `json:"message"`
	// Repair describes how --fix repairs the problem. It is empty if --fix cannot repair it.
	Repair string `json:"repair"`
	// Unowned lists the fields that have no owner after the repair has removed an entry that a server
	// cannot read. It is empty for all other problems, and if the fields of the entry cannot be read.
	Unowned []string `json:"unowned"`
}

func (x *examinedObject) report(d *doctor, m *unstructured.Masks) Report {
	out := Report{
		ObjectReport: report.ReportObject(x.outcome.Object.Identity()),
		Problems:     []problemReport{}, Warnings: report.WarningReports(x.outcome), Errors: report.ErrorReports(x.outcome.Errors),
	}
	if x.ExamineResult == nil {
		return out
	}
	out.Changed = x.Changed
	if d.fix {
		out.Object = x.Object
	}
	if d.stats {
		out.Stats = x.stats(m)
	}
	for i := range x.Problems {
		out.Problems = append(out.Problems, x.problemReport(&x.Problems[i]))
	}
	for _, e := range x.items {
		out.Problems = append(out.Problems, problemReport{File: e.File, Line: e.Line, Rule: e.rule, Path: e.Path, Message: e.Message, Unowned: []string{}})
	}
	return out
}

func (x *examinedObject) problemReport(p *ownership.Problem) problemReport {
	at := x.at(p)
	out := problemReport{File: at.File, Line: at.Line, Rule: string(p.Rule), Message: words.TrimColon(p.Message), Repair: p.Repair, Unowned: []string{}}
	if len(p.Path) > 0 {
		out.Path = p.Path.String()
	}
	if p.Unowned != nil {
		for path := range p.Unowned.All() {
			out.Unowned = append(out.Unowned, path.String())
		}
	}
	if p.Owner.Operation != "" {
		owner := report.ReportOwner(p.Owner)
		out.Owner = &owner
	}
	if p.Time != nil {
		at := p.Time.UTC().Format(time.RFC3339)
		out.Time = &at
	}
	return out
}

// addFindings adds the problems of an object to a report for CI systems.
func (x *examinedObject) addFindings(all *ci.Report) {
	if x.ExamineResult == nil {
		return
	}
	subject := report.Subject(x.outcome)
	for j := range x.Problems {
		p := &x.Problems[j]
		f := ci.Finding{Rule: ci.Of(string(p.Rule), rules.Warning), At: x.at(p), Subject: subject, Message: words.TrimColon(p.Message)}
		if len(p.Path) > 0 {
			f.Path = p.Path.String()
		}
		all.Add(f)
	}
	for _, e := range x.items {
		all.Add(ci.Finding{Rule: ci.Of(e.rule, rules.Warning), At: manifest.Position{File: e.File, Line: e.Line}, Subject: subject, Path: e.Path, Message: e.Message})
	}
}
