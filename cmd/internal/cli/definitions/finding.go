// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// finding is something that lint found in a file.
type finding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Path string `json:"path"`
	// Rule is a name of docs/findings.md. There may be more of them in later versions.
	Rule     string         `json:"rule"`
	Severity rules.Severity `json:"severity"`
	Message  string         `json:"message"`
	// Fix is what --fix does about it, empty if nothing.
	Fix    string `json:"fix"`
	change *manifest.Change
	// about is the CRD or the definition of a document that it is found in, and origin where in
	// it, whatever the order of the versions.
	about, origin string
}

// String returns one line, with rule and severity at its end.
func (f finding) String() string {
	e := manifest.Error{File: f.File, Line: f.Line, Path: f.Path, Message: f.Message}
	if f.Fix != "" {
		e.Message += "; --fix " + f.Fix
	}
	return fmt.Sprintf("%s (%s, %v)", e.Error(), f.Rule, f.Severity)
}

// LintReport is what lint -o report prints. Its form is part of the command
// line's contract.
type LintReport struct {
	Summary report.Summary `json:"summary"`
	// Findings are those that count.
	Findings []finding            `json:"findings"`
	Hidden   hidden               `json:"hidden"`
	Errors   []report.ErrorReport `json:"errors"`
}
