// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// finding is a finding of lint in a file.
type finding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Path string `json:"path"`
	// Rule is a rule of docs/findings.md. Later versions may have more rules.
	Rule     string         `json:"rule"`
	Severity rules.Severity `json:"severity"`
	Message  string         `json:"message"`
	// Fix is the repair of --fix, or empty if there is none.
	Fix    string `json:"fix"`
	change *manifest.Change
	// about is the name of the CRD, or the name of the definition in a document. origin is the
	// path of the finding in it. The path does not depend on the order of versions.
	about, origin string
	// checked is the index of the definition in the list of checked definitions.
	checked int
}

// String returns the finding in one line, with rule and severity at the end.
func (f finding) String() string {
	e := manifest.Error{File: f.File, Line: f.Line, Path: f.Path, Message: f.Message}
	if f.Fix != "" {
		e.Message += "; --fix " + f.Fix
	}
	return fmt.Sprintf("%s (%s, %v)", e.Error(), f.Rule, f.Severity)
}

// LintReport is the report of lint on one CRD or OpenAPI document. Its JSON form is stable.
type LintReport struct {
	// The CRD, empty for an OpenAPI document.
	report.ObjectReport
	File string `json:"file"`
	// Findings are the findings that count.
	Findings []finding `json:"findings"`
}
