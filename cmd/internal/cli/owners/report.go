// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// Report is the report of owners about one object. Its JSON encoding is stable.
type Report struct {
	report.ObjectReport
	// Managers lists the entries of the managed fields.
	Managers []managerReport `json:"managers"`
	// Places lists the fields and items of the object. A parent comes before its children.
	Places []placeReport `json:"places"`
	// Lost lists the owned paths that do not exist in the object.
	Lost     []lostReport           `json:"lost"`
	Warnings []report.WarningReport `json:"warnings"`
	Errors   []report.ErrorReport   `json:"errors"`
}

// managerReport is one entry of the managed fields.
type managerReport struct {
	report.OwnerReport
	// Time is the time of the manager's last write in RFC 3339 format, or null if it is
	// unknown.
	Time *string `json:"time"`
	// Fields is the number of paths that the manager owns.
	Fields int `json:"fields"`
}

// placeReport is one field or item of the object.
type placeReport struct {
	Path string `json:"path"`
	// Standing says who owns the field or item. "owned": the listed owners own it. "part": it is
	// inside a list or map that the owners own as a whole. "holder": it has no owner of its own,
	// but contains fields or items with owners. "default": it has no owner, and its value is the
	// default. "server": it cannot have an owner, because it identifies the object or the API
	// server sets it. "unowned": it has no owner for another reason.
	Standing ownership.State `json:"standing"`
	// Whole is true for a list or map that managers can own only as a whole.
	Whole  bool                 `json:"whole"`
	Owners []report.OwnerReport `json:"owners"`
	// Value is the value of the field or item. It is left out if the report lists the values
	// inside it.
	Value *any `json:"value,omitempty"`
}

// lostReport is one owned path that does not exist in the object.
type lostReport struct {
	Path  string             `json:"path"`
	Owner report.OwnerReport `json:"owner"`
}

func (b *blamedObject) report() Report {
	out := Report{
		ObjectReport: report.ReportObject(b.Object.Identity()),
		Managers:     []managerReport{}, Places: []placeReport{}, Lost: []lostReport{},
		Warnings: report.WarningReports(b.Outcome), Errors: report.ErrorReports(b.Errors),
	}
	if b.BlameResult == nil {
		return out
	}
	owners := make([]report.OwnerReport, len(b.Entries))
	for i, size := range b.sizes() {
		e := b.Entries[i]
		owners[i] = report.ReportOwner(e.Owner)
		m := managerReport{OwnerReport: owners[i], Fields: size}
		if e.Time != nil {
			at := e.Time.UTC().Format(time.RFC3339)
			m.Time = &at
		}
		out.Managers = append(out.Managers, m)
	}
	for path, p := range b.All() {
		out.Places = append(out.Places, reportPlace(path, p, owners))
	}
	for _, l := range b.Lost {
		out.Lost = append(out.Lost, lostReport{l.Path.String(), owners[l.Entry]})
	}
	return out
}

func reportPlace(path fieldpath.Path, p *ownership.Place, owners []report.OwnerReport) placeReport {
	out := placeReport{Path: path.String(), Standing: p.State, Whole: p.Whole, Owners: []report.OwnerReport{}}
	for _, i := range p.Owners {
		out.Owners = append(out.Owners, owners[i])
	}
	if len(p.Children) == 0 {
		out.Value = &p.Value
	}
	return out
}
