// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// doctorReport is what doctor -o report prints of one object. object is there
// with --fix only.
type doctorReport struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Namespace  string          `json:"namespace"`
	Name       string          `json:"name"`
	Object     map[string]any  `json:"object"`
	Changed    bool            `json:"changed"`
	Problems   []problemReport `json:"problems"`
	Warnings   []warningReport `json:"warnings"`
	Errors     []errorReport   `json:"errors"`
	// Stats are there with --stats.
	Stats *managedStats `json:"stats,omitempty"`
}

type problemReport struct {
	File    string       `json:"file"`
	Line    int          `json:"line"`
	Rule    string       `json:"rule"`
	Path    string       `json:"path"`
	Owner   *ownerReport `json:"owner"`
	Time    *string      `json:"time"`
	Message string       `json:"message"`
	Repair  string       `json:"repair"`
}

func (x *examined) report(d *doctor, m *masks) doctorReport {
	report := doctorReport{Problems: []problemReport{}, Warnings: []warningReport{}, Errors: errorReports(x.errors)}
	if x.object != nil {
		id := x.object.Identity()
		report.APIVersion, report.Kind, report.Namespace, report.Name = id.APIVersion, id.Kind, id.Namespace, id.Name
	}
	for _, w := range x.warnings {
		report.Warnings = append(report.Warnings, warningReport{w.path, w.message})
	}
	if x.Examined == nil {
		return report
	}
	report.Changed = x.Changed
	if d.fix {
		report.Object = x.Object
	}
	if d.stats {
		report.Stats = x.stats(m)
	}
	for i := range x.Problems {
		report.Problems = append(report.Problems, x.problemReport(&x.Problems[i]))
	}
	for _, e := range x.items {
		report.Problems = append(report.Problems, problemReport{File: e.File, Line: e.Line, Rule: e.rule, Path: e.Path, Message: e.Message})
	}
	return report
}

func (x *examined) problemReport(p *fieldmanager.Problem) problemReport {
	at := x.at(p)
	report := problemReport{File: at.File, Line: at.Line, Rule: string(p.Rule), Message: trimColon(p.Message), Repair: p.Repair}
	if len(p.Path) > 0 {
		report.Path = p.Path.String()
	}
	if p.Owner.Operation != "" {
		owner := reportOwner(p.Owner)
		report.Owner = &owner
	}
	if p.Time != nil {
		at := p.Time.UTC().Format(time.RFC3339)
		report.Time = &at
	}
	return report
}

// doctorReports writes the reports: one, or a list of them if there are several.
func (r *run) doctorReports(outcomes []*outcome, all []examined, d *doctor) error {
	reports := make([]doctorReport, len(outcomes))
	for i, o := range outcomes {
		x := examined{outcome: o} // of a file that cannot be read
		if i < len(all) {
			x = all[i]
		}
		reports[i] = x.report(d, &r.masks)
	}
	if len(reports) == 1 {
		return writeJSON(&r.out, reports[0])
	}
	return writeReports(&r.out, reports)
}
