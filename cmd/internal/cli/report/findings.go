// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// addFindings adds the problems in an outcome to the findings for CI systems.
func addFindings(all *ci.Report, o *prediction.Outcome) {
	subject := Subject(o)
	if subject.Name != "" {
		all.Look(subject)
	}
	all.AddErrors(subject, o.Errors)
	for i := range o.Conflicts {
		c := &o.Conflicts[i]
		path := c.Path.String()
		all.Add(ci.Finding{Rule: ci.Conflict, At: o.Object.Position(path), Subject: subject, Path: path, Message: "conflicts with " + words.Owner(c.Owner, c.Time)})
	}
	for i := range o.Immutable {
		f := &o.Immutable[i]
		path := f.Path.String()
		message := reportImmutable(f).Reason
		if f.KEP != "" {
			message += " (" + f.KEP + ", a proposal)"
		}
		all.Add(ci.Finding{Rule: ci.Immutable, At: o.Object.Position(path), Subject: subject, Path: path, Message: message})
	}
	for _, w := range o.Warnings {
		all.Add(ci.Finding{Rule: ci.Noted, At: w.At, Subject: subject, Path: w.Path, Message: w.Message})
	}
}

// Subject returns the subject of an outcome's findings: its object. It returns the zero value if the
// input could not be read.
func Subject(o *prediction.Outcome) ci.Subject {
	if o.Object == nil {
		return ci.Subject{}
	}
	return ci.Subject{Name: o.Object.Identity().String(), File: o.Object.Start().File}
}
