// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// lines are the findings for people.
func (x *examined) lines(fix bool) []string {
	var lines []string
	for i := range x.Problems {
		p := &x.Problems[i]
		line := fmt.Sprintf("%v: %v: %s: %s: %s", x.at(p), x.object.Identity(), p.Rule, subject(p), trimColon(p.Message))
		switch {
		case p.Repair != "" && fix:
			line += "; repaired: " + p.Repair
		case p.Repair != "":
			line += "; --fix: " + p.Repair
		}
		lines = append(lines, oneLine(line+x.advice(p)))
	}
	for _, e := range x.items {
		lines = append(lines, oneLine(fmt.Sprintf("%v: %v: %s: %s: %s", manifest.Position{File: e.File, Line: e.Line}, x.object.Identity(), e.rule, e.Path, e.Message)))
	}
	return lines
}

// at is where the entry of a problem stands.
func (x *examined) at(p *fieldmanager.Problem) manifest.Position {
	if p.Index < 0 {
		if len(p.Path) > 0 {
			return x.object.Position(p.Path.String())
		}
		return x.object.At("metadata", "managedFields")
	}
	return x.object.At("metadata", "managedFields", p.Index)
}

// subject is what a problem is about.
func subject(p *fieldmanager.Problem) string {
	var parts []string
	if p.Owner.Operation != "" {
		parts = append(parts, describeOwner(p.Owner, p.Time))
	} else if p.Index >= 0 {
		parts = append(parts, fmt.Sprintf("entry %d", p.Index))
	}
	if len(p.Path) > 0 {
		parts = append(parts, p.Path.String())
	}
	if len(parts) == 0 {
		return ".metadata.managedFields"
	}
	return strings.Join(parts, ": ")
}

// advice is the command that helps.
func (x *examined) advice(p *fieldmanager.Problem) string {
	from, to := p.Owner, p.Other
	switch p.Rule {
	case fieldmanager.ClientSideOrphan:
		to = x.applier()
	case fieldmanager.TwoNames:
	default:
		return ""
	}
	if from.Operation != fieldmanager.OperationUpdate || to.Manager == "" {
		return ""
	}
	advice := fmt.Sprintf("; dovetail migrate --from %s --to %s", managerName(from.Manager), managerName(to.Manager))
	if from.Subresource != "" {
		advice += " --subresource " + managerName(from.Subresource)
	}
	return advice
}

// applier is who applies the object server-side, kubectl if it does.
func (x *examined) applier() (owner fieldmanager.Owner) {
	managed, err := fieldmanager.Decode(x.Object)
	if err != nil {
		return owner // it says nothing
	}
	for _, e := range managed.Entries() {
		if e.Operation == fieldmanager.OperationApply && e.Subresource == "" && (owner.Manager == "" || e.Manager == "kubectl") {
			owner = e.Owner
		}
	}
	return owner
}
