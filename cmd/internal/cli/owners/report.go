// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// ownersReport is what owners -o json prints of one object.
type ownersReport struct {
	APIVersion string                 `json:"apiVersion"`
	Kind       string                 `json:"kind"`
	Namespace  string                 `json:"namespace"`
	Name       string                 `json:"name"`
	Managers   []managerReport        `json:"managers"`
	Places     []placeReport          `json:"places"`
	Lost       []lostReport           `json:"lost"`
	Warnings   []report.WarningReport `json:"warnings"`
}

type managerReport struct {
	report.OwnerReport
	Time   *string `json:"time"`
	Fields int     `json:"fields"`
}

// placeReport is a place; Value is left out of what holds others.
type placeReport struct {
	Path     string               `json:"path"`
	Standing string               `json:"standing"`
	Whole    bool                 `json:"whole"`
	Owners   []report.OwnerReport `json:"owners"`
	Value    *any                 `json:"value,omitempty"`
}

type lostReport struct {
	Path  string             `json:"path"`
	Owner report.OwnerReport `json:"owner"`
}

func (b *blamed) ownersReport() ownersReport {
	id := b.Object.Identity()
	out := ownersReport{
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
	out := placeReport{Path: path.String(), Standing: string(p.Standing), Whole: p.Whole, Owners: []report.OwnerReport{}}
	for _, i := range p.Owners {
		out.Owners = append(out.Owners, owners[i])
	}
	if len(p.Children) == 0 {
		out.Value = &p.Value
	}
	return out
}

// writeOwnersReports writes the reports: one, or a list of them if there were many objects.
func writeOwnersReports(r *command.Run, found []blamed, many bool) error {
	all := make([]ownersReport, len(found))
	for i := range found {
		all[i] = found[i].ownersReport()
	}
	if many {
		return encode.List(&r.Out, all)
	}
	return encode.Reports(&r.Out, all)
}
