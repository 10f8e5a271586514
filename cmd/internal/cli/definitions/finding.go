// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// finding is a problem that lint found at a position in a file.
type finding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Path string `json:"path"`
	// Rule is the name of a rule in docs/findings.md. Later versions may add rules.
	Rule     string         `json:"rule"`
	Severity rules.Severity `json:"severity"`
	Message  string         `json:"message"`
	// Fix describes how --fix repairs the problem. It is empty if --fix cannot repair it.
	Fix    string `json:"fix"`
	change *manifest.Change
	// about is the name of the CRD, or of the definition in an OpenAPI document. origin identifies
	// the finding by a path in the CRD or definition. In a CRD, this path contains the name of a
	// version instead of its index, so it does not depend on the order of the versions.
	about, origin string
	// checked is the index of the CRD or document in lintRun.checked.
	checked int
	// prevents lists the parts of the CRD that lint could not check because of this problem.
	prevents []uncheckedPart
}

// uncheckedPart is a part of a CRD that lint could not check.
type uncheckedPart struct {
	path  string   // empty if the whole CRD was not checked
	rules []string // the rules that lint could not check, or nil for all rules
}

// String returns the finding as one line that ends with rule and severity.
func (f finding) String() string {
	e := manifest.Error{File: f.File, Line: f.Line, Path: f.Path, Message: f.Message}
	if f.Fix != "" {
		e.Message += "; --fix " + f.Fix
	}
	return fmt.Sprintf("%s (%s, %v)", e.Error(), f.Rule, f.Severity)
}

// inSchema matches the path of a schema in a CRD.
var inSchema = regexp.MustCompile(`\.spec\.versions\[\d+\]\.schema\.openAPIV3Schema([^\s:,;()]*)`)

// shortSchema replaces the keywords that lead to a schema.
var shortSchema = strings.NewReplacer(".properties.", ".", ".properties[", "[", ".items", "[*]", ".additionalProperties", ".*")

// schemaText makes the control characters of a text about a CRD visible. If short is true, it also
// replaces the path of a schema by the path of the field in an object, such as .spec.ports[*].port.
// This form is enough on a terminal, because a line number before the path shows the place in the
// CRD.
func schemaText(text string, short bool) string {
	if short {
		text = inSchema.ReplaceAllStringFunc(text, func(path string) string {
			return cmp.Or(shortSchema.Replace(inSchema.FindStringSubmatch(path)[1]), ".")
		})
	}
	return words.Visible(text)
}

// LintReport is the report of lint about one CRD or OpenAPI document. Its JSON encoding is
// stable.
type LintReport struct {
	// ObjectReport identifies the CRD. It is empty for an OpenAPI document.
	report.ObjectReport
	File string `json:"file"`
	// Findings lists the findings that the command reports.
	Findings []finding `json:"findings"`
}
