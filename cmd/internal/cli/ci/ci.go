// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package ci writes findings in the formats of CI systems: SARIF, JUnit XML, and annotations of
// GitHub workflows. [Report] collects findings and writes them.
package ci

import (
	"cmp"
	"io"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// These are the values of -o for CI systems.
const (
	SARIF  = "sarif"
	JUnit  = "junit"
	GitHub = "github"
)

// Forms lists the formats.
var Forms = []string{SARIF, JUnit, GitHub}

// Is reports whether form is a format for CI systems.
func Is(form string) bool { return slices.Contains(Forms, form) }

// Finding is one problem that a command reports.
type Finding struct {
	Rule rules.Rule
	// At is the position of the problem. Its file or line may be missing.
	At      manifest.Position
	Subject Subject
	// Path is the path of a field in the subject, or "".
	Path, Message string
}

// Subject identifies what a command checked, usually an object. Different files may contain objects with
// the same name, for example for two clusters.
type Subject struct {
	Name string
	// File is the file that contains the subject. It is "" if the subject is a file itself, or is in no
	// file.
	File string
}

// text returns the message, preceded by the path if there is one.
func (f *Finding) text() string {
	return PathPrefix(f.Path) + f.Message
}

// PathPrefix returns the path and a colon, as the start of a message. It returns "" if the path is
// empty. It also returns "" for the path ".", which stands for a whole object or version.
func PathPrefix(path string) string {
	if path == "" || path == "." {
		return ""
	}
	return path + ": "
}

// Report collects the findings of a command.
type Report struct {
	// Command is the name of the command, such as lint.
	Command string

	subjects []Subject
	known    map[Subject]bool
	findings []Finding
}

// Look records that the command checked a subject, so that the report can list a subject without
// findings.
func (r *Report) Look(subject Subject) {
	if r.known == nil {
		r.known = map[Subject]bool{}
	}
	if !r.known[subject] {
		r.known[subject] = true
		r.subjects = append(r.subjects, subject)
	}
}

// Add adds a finding, and records its subject as checked.
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

// AddErrors adds each error as a finding about the given subject. If subject is the zero value, the
// subject of a finding is the file in which the error occurred.
func (r *Report) AddErrors(subject Subject, errs manifest.Errors) {
	for _, e := range errs {
		r.Add(Finding{Rule: Invalid, At: manifest.Position{File: e.File, Line: e.Line, Column: e.Column}, Subject: cmp.Or(subject, Subject{Name: e.File}), Path: e.Path, Message: e.Message})
	}
}

// Write writes the report. form is one of the formats in Forms.
func (r *Report) Write(w io.Writer, form string) error {
	switch form {
	case SARIF:
		return r.sarif(w)
	case JUnit:
		return r.junit(w)
	}
	return r.github(w)
}
