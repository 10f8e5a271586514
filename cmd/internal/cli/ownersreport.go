// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// ownersReport is what owners -o json prints of one object.
type ownersReport struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Namespace  string          `json:"namespace"`
	Name       string          `json:"name"`
	Managers   []managerReport `json:"managers"`
	Places     []placeReport   `json:"places"`
	Lost       []lostReport    `json:"lost"`
	Warnings   []warningReport `json:"warnings"`
}

type managerReport struct {
	ownerReport
	Time   *string `json:"time"`
	Fields int     `json:"fields"`
}

// placeReport is a place; value is left out of what holds others.
type placeReport struct {
	Path     string        `json:"path"`
	Standing string        `json:"standing"`
	Whole    bool          `json:"whole"`
	Owners   []ownerReport `json:"owners"`
	Value    *any          `json:"value,omitempty"`
}

type lostReport struct {
	Path  string      `json:"path"`
	Owner ownerReport `json:"owner"`
}

func reportOwner(o fieldmanager.Owner) ownerReport {
	return ownerReport{o.Manager, string(o.Operation), o.APIVersion, o.Subresource}
}

func (b *blamed) ownersReport() ownersReport {
	id := b.object.Identity()
	report := ownersReport{
		APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name,
		Managers: []managerReport{}, Places: []placeReport{}, Lost: []lostReport{}, Warnings: []warningReport{},
	}
	owners := make([]ownerReport, len(b.Entries))
	for i, size := range b.sizes() {
		e := b.Entries[i]
		owners[i] = reportOwner(e.Owner)
		m := managerReport{ownerReport: owners[i], Fields: size}
		if e.Time != nil {
			at := e.Time.UTC().Format(time.RFC3339)
			m.Time = &at
		}
		report.Managers = append(report.Managers, m)
	}
	for path, p := range b.All() {
		report.Places = append(report.Places, reportPlace(path, p, owners))
	}
	for _, l := range b.Lost {
		report.Lost = append(report.Lost, lostReport{l.Path.String(), owners[l.Entry]})
	}
	for _, w := range b.warnings {
		report.Warnings = append(report.Warnings, warningReport{w.path, w.message})
	}
	return report
}

func reportPlace(path fieldpath.Path, p *fieldmanager.Place, owners []ownerReport) placeReport {
	report := placeReport{Path: path.String(), Standing: string(p.Standing), Whole: p.Whole, Owners: []ownerReport{}}
	for _, i := range p.Owners {
		report.Owners = append(report.Owners, owners[i])
	}
	if len(p.Children) == 0 {
		report.Value = &p.Value
	}
	return report
}

// ownersReports writes the reports: one, or a list of them if there were many objects.
func (r *run) ownersReports(found []blamed, many bool) error {
	if len(found) == 1 && !many {
		return writeJSON(&r.out, found[0].ownersReport())
	}
	all := make([]ownersReport, len(found))
	for i := range found {
		all[i] = found[i].ownersReport()
	}
	return writeReports(&r.out, all)
}
