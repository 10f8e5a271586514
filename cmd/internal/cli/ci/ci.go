// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package ci writes findings as CI systems read them: SARIF, the XML of JUnit, and the
// annotations of GitHub's workflows. Start from Report.
package ci

import (
	"cmp"
	"io"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// The forms, as -o has them.
const (
	SARIF  = "sarif"
	JUnit  = "junit"
	GitHub = "github"
)

// Forms are all of them.
var Forms = []string{SARIF, JUnit, GitHub}

// Is says whether a form is one of them.
func Is(form string) bool { return slices.Contains(Forms, form) }

// Finding is something that a command found.
type Finding struct {
	Rule rules.Rule
	// At is where, without file if it is in none, without line if that is not known.
	At manifest.Position
	// Subject is what it is about, an object as a rule, and Path where in it.
	Subject, Path string
	Message       string
}

// text is the message with its path.
func (f *Finding) text() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + ": " + f.Message
}

// Report is what a command found.
type Report struct {
	// Command is its name, such as lint.
	Command string

	subjects []string
	known    map[string]bool
	findings []Finding
}

// Look notes that the command looked at a subject, whether or not there is something to
// find.
func (r *Report) Look(subject string) {
	if r.known == nil {
		r.known = map[string]bool{}
	}
	if !r.known[subject] {
		r.known[subject] = true
		r.subjects = append(r.subjects, subject)
	}
}

// Add adds a finding, and its subject.
func (r *Report) Add(f Finding) {
	r.Look(f.Subject)
	r.findings = append(r.findings, f)
}

// Append adds the findings of another report.
func (r *Report) Append(other *Report) {
	for _, f := range other.findings {
		r.Add(f)
	}
}

// AddErrors adds what keeps a subject from being judged; an empty one is the file.
func (r *Report) AddErrors(subject string, errs manifest.Errors) {
	for _, e := range errs {
		r.Add(Finding{Rule: Invalid, At: manifest.Position{File: e.File, Line: e.Line, Column: e.Column}, Subject: cmp.Or(subject, e.File), Path: e.Path, Message: e.Message})
	}
}

// Write writes a report in one of the forms.
func (r *Report) Write(w io.Writer, form string) error {
	switch form {
	case SARIF:
		return r.sarif(w)
	case JUnit:
		return r.junit(w)
	}
	return r.github(w)
}
