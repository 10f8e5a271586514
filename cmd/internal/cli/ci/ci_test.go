// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ci

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func report() *Report {
	r := &Report{Command: "lint"}
	r.Look(Subject{"fine.example.com", "a b.yaml"})
	r.Look(Subject{"fine.example.com", "c.yaml"})
	r.Look(Subject{"fine.example.com", "<stdin>"})
	r.Look(Subject{"fine.example.com", "c.yaml"})
	null, _ := rules.Lookup("null-default")
	r.Add(Finding{Rule: null, At: manifest.Position{File: "crds/a b.yaml", Line: 3, Column: 7}, Subject: Subject{Name: "x.example.com"}, Path: ".spec", Message: "is null,\n50% <of> it"})
	r.Add(Finding{Rule: null, At: manifest.Position{File: "<stdin>", Line: 4}, Subject: Subject{Name: "x.example.com"}, Path: ".more", Message: "is null"})
	r.AddErrors(Subject{}, manifest.Errors{{File: "none.yaml", Message: "no such file \x01"}})
	return r
}

func written(t *testing.T, form string) string {
	t.Helper()
	var out bytes.Buffer
	if err := report().Write(&out, form); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Each annotation is one line, even if its message has several lines. Control characters are escaped.
func TestGitHub(t *testing.T) {
	want := `::warning title=lint%3A null-default,file=crds/a b.yaml,line=3,col=7::x.example.com: .spec: is null,%0A50%25 <of> it
::warning title=lint%3A null-default::x.example.com: .more: is null
::error title=lint%3A invalid,file=none.yaml::none.yaml: no such file \u0001
`
	if got := written(t, GitHub); got != want {
		t.Errorf("got\n%s", got)
	}
}

// The JUnit report has one test for each subject. Objects with the same name in different files are
// different subjects. A subject with several findings has one failure.
func TestJUnit(t *testing.T) {
	var got junitSuites
	if err := xml.Unmarshal([]byte(written(t, JUnit)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Suite.Tests != 5 || got.Suite.Failures != 2 || len(got.Suite.Cases) != 5 {
		t.Fatalf("got %+v", got)
	}
	bad := got.Suite.Cases[3]
	for i, class := range []string{"dovetail.lint.a b.yaml", "dovetail.lint.c.yaml", "dovetail.lint"} {
		if fine := got.Suite.Cases[i]; fine.Name != "fine.example.com" || fine.Class != class || fine.Failure != nil {
			t.Errorf("got %+v", fine)
		}
	}
	if bad.Failure == nil || !strings.HasPrefix(bad.Failure.Message, "2 findings, the first: .spec: is null,") || strings.Count(bad.Failure.Text, "null-default") != 2 {
		t.Errorf("got %+v", bad.Failure)
	}
}

// Each SARIF result refers to its rule by index, and each location is a URI.
func TestSARIF(t *testing.T) {
	var log sarifLog
	if err := json.Unmarshal([]byte(written(t, SARIF)), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != 3 || len(run.Tool.Driver.Rules) != 2 {
		t.Fatalf("got %+v", run)
	}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s is not rule %d", r.RuleID, r.RuleIndex)
		}
	}
	first := run.Results[0].Locations[0]
	if p := first.Physical; p.Artifact.URI != "crds/a%20b.yaml" || *p.Region != (sarifRegion{3, 7}) || first.Logical[0].FullyQualifiedName != "x.example.com .spec" {
		t.Errorf("got %+v", first)
	}
	if p := run.Results[1].Locations[0].Physical; p != nil {
		t.Errorf("standard input is %+v", p)
	}
	if a, b := run.Results[0].Fingerprints, run.Results[1].Fingerprints; a["subjectPathRule/v1"] == b["subjectPathRule/v1"] {
		t.Error("two places have one fingerprint")
	}
}
