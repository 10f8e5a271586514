// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// Report is what owners -o json prints of one object. Its form is part of the command
// line's contract.
type Report struct {
	// Summary is that of all objects, in the report of the first.
	Summary    *report.Summary `json:"summary,omitempty"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Namespace  string          `json:"namespace"`
	Name       string          `json:"name"`
	// Managers are the entries of the managed fields.
	Managers []managerReport `json:"managers"`
	// Places are the fields and items of the object, parents first.
	Places []placeReport `json:"places"`
	// Lost is what somebody owns and the object does not have.
	Lost     []lostReport           `json:"lost"`
	Warnings []report.WarningReport `json:"warnings"`
}

// managerReport is an entry of the managed fields.
type managerReport struct {
	report.OwnerReport
	// Time is when it wrote last, RFC 3339; null if that is not known.
	Time *string `json:"time"`
	// Fields are how many it owns.
	Fields int `json:"fields"`
}

// placeReport is a field or an item of the object.
type placeReport struct {
	Path string `json:"path"`
	// Standing says what owners mean: owned by each of them; part of a list or map that they
	// own as a whole; holder of places that somebody owns; and of what is nobody's: default
	// of the schema, of the server, or unowned for no reason that can be seen.
	Standing ownership.State `json:"standing"`
	// Whole says of a list or map that it is owned, or not, as a whole.
	Whole  bool                 `json:"whole"`
	Owners []report.OwnerReport `json:"owners"`
	// Value is left out of what holds other places.
	Value *any `json:"value,omitempty"`
}

// lostReport is a path that is owned and not in the object.
type lostReport struct {
	Path  string             `json:"path"`
	Owner report.OwnerReport `json:"owner"`
}

func (b *blamed) report() Report {
	id := b.Object.Identity()
	out := Report{
		APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name,
		Managers: []managerReport{}, Places: []placeReport{}, Lost: []lostReport{}, Warnings: []report.WarningReport{},
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
	for _, w := range b.Outcome.Warnings {
		out.Warnings = append(out.Warnings, report.WarningReport{Path: w.Path, Message: w.Message})
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
