// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ci

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/internal/rules"
)

// These types describe the subset of SARIF 2.1.0 that the program writes,
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Version        string      `json:"version,omitempty"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	ShortDescription sarifMessage `json:"shortDescription"`
	HelpURI          string       `json:"helpUri"`
	Configuration    sarifLevel   `json:"defaultConfiguration"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical *sarifPlace    `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPlace struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

const home = "https://github.com/dovetail-ssa/dovetail"

// sarif writes the findings and their rules as one SARIF run.
func (r *Report) sarif(w io.Writer) error {
	run := sarifRun{
		Tool:    sarifTool{sarifDriver{Name: "dovetail " + r.Command, InformationURI: home, Rules: []sarifRule{}}},
		Results: []sarifResult{},
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		run.Tool.Driver.Version = info.Main.Version
	}
	index := map[string]int{}
	for _, f := range r.findings {
		at, known := index[f.Rule.ID]
		if !known {
			at = len(index)
			index[f.Rule.ID] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
				f.Rule.ID, sarifMessage{f.Rule.Summary}, home + "/blob/main/docs/findings.md#" + f.Rule.ID, sarifLevel{level(f.Rule.Severity)},
			})
		}
		sum := sha256.Sum256([]byte(strings.Join([]string{f.Subject.Name, f.Path, f.Rule.ID}, "\x00")))
		result := sarifResult{
			RuleID: f.Rule.ID, RuleIndex: at, Level: level(f.Rule.Severity), Message: sarifMessage{f.text()},
			Fingerprints: map[string]string{"subjectPathRule/v1": hex.EncodeToString(sum[:16])},
		}
		where := sarifLocation{Physical: f.location()}
		if f.Path != "" {
			where.Logical = []sarifLogical{{f.Subject.Name + " " + f.Path}}
		}
		if where.Physical != nil || where.Logical != nil {
			result.Locations = []sarifLocation{where}
		}
		run.Results = append(run.Results, result)
	}
	return encode.JSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// location returns the position of a finding in a file, or nil if it has no position.
func (f *Finding) location() *sarifPlace {
	if !isFile(f.At.File) {
		return nil
	}
	u := url.URL{Path: filepath.ToSlash(f.At.File)}
	if filepath.IsAbs(f.At.File) {
		u.Scheme = "file"
	}
	p := &sarifPlace{Artifact: sarifArtifact{u.String()}}
	if f.At.Line > 0 {
		p.Region = &sarifRegion{f.At.Line, f.At.Column}
	}
	return p
}

// isFile reports whether a name is the name of a file. A name such as <stdin> is not.
func isFile(name string) bool { return name != "" && !strings.HasPrefix(name, "<") }

func level(s rules.Severity) string {
	return [...]string{rules.Hint: "note", rules.Warning: "warning", rules.Error: "error"}[s]
}
