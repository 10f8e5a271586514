// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/typed"
)

// inProse lists rules that docs/findings.md explains without an example, because no example
// can show these rules.
var inProse = []string{"too-deep", "too-large", "crd-gone", "key-default-differs", "boolean-name"}

// section is the section of docs/findings.md about one rule.
type section struct {
	id, group, text string
	// parts holds the two halves of a rule's example. marks holds their labels: found and instead,
	// or old and new.
	marks, parts [2]string
}

var (
	exampleBlock = regexp.MustCompile("(?s)\n\n```yaml\n# (found|old)\n(.*?)# (instead|new)\n(.*?)```\n\n")
	fenced       = regexp.MustCompile("(?m)^```yaml$")
)

func readSections(t *testing.T) (all []section) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range strings.Split(string(text), "\n## ")[1:] {
		name, rest, _ := strings.Cut(group, "\n")
		for _, part := range strings.Split(rest, "\n### ")[1:] {
			s := section{group: name}
			s.id, s.text, _ = strings.Cut(part, "\n")
			if m := exampleBlock.FindStringSubmatch(s.text); m != nil {
				s.marks, s.parts = [2]string{m[1], m[3]}, [2]string{m[2], m[4]}
			} else if fenced.MatchString(s.text) {
				t.Errorf("%s: want an example of # found and # instead, or # old and # new, between paragraphs", s.id)
			}
			all = append(all, s)
		}
	}
	return all
}

// Each rule has a section in docs/findings.md, grouped by severity and in the order of the rules. There
// are no other sections.
func TestFindingsAreExplained(t *testing.T) {
	want := map[string][]string{}
	for _, r := range rules.Lint() {
		want["Lint: "+r.Severity.String()+"s"] = append(want["Lint: "+r.Severity.String()+"s"], r.ID)
	}
	for _, r := range rules.Upgrade() {
		want["Upgrades: "+r.Severity.String()+"s"] = append(want["Upgrades: "+r.Severity.String()+"s"], r.ID)
	}
	// ci.Changed and the rule changed of lint share a section.
	for _, r := range []rules.Rule{ci.Invalid, ci.Conflict, ci.Immutable, ci.Noted, ci.Created} {
		want["Requests and objects"] = append(want["Requests and objects"], r.ID)
	}
	want["Live objects"] = []string{"refused", "dropped", "default", "already-invalid"}
	for _, r := range []typed.MoveReason{typed.MoveRekeyed, typed.MoveMerged, typed.MoveSplit, typed.MoveShared, typed.MoveNoItem, typed.MoveLeftOut, typed.MoveUnnamed, typed.MoveKindChanged} {
		want["Live objects"] = append(want["Live objects"], string(r))
	}
	for _, r := range []ownership.ProblemRule{
		ownership.BrokenEntry, ownership.UnknownElement, ownership.DuplicateEntry, ownership.VersionUnserved, ownership.VersionLacksField, ownership.MissingKeyDefault, ownership.OutdatedPath, ownership.LostPath, ownership.DeadManager,
		ownership.StaleManager, ownership.ClientSideOrphan, ownership.SecretKeyOrphan, ownership.TwoNames, ownership.OwnedDefault, ownership.WrittenByUpdate, "duplicate-item", "shared-port-name",
	} {
		want["Managed fields"] = append(want["Managed fields"], string(r))
	}
	got := map[string][]string{}
	for _, s := range readSections(t) {
		got[s.group] = append(got[s.group], s.id)
		ofSchemas := strings.HasPrefix(s.group, "Lint:") || strings.HasPrefix(s.group, "Upgrades:")
		if example := s.parts[0] != ""; example != (ofSchemas && !slices.Contains(inProse, s.id)) {
			t.Errorf("%s: example %v", s.id, example)
		}
	}
	for group, ids := range want {
		if !slices.Equal(got[group], ids) {
			t.Errorf("## %s: got\n%v\nwant\n%v", group, got[group], ids)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d groups, want %d", len(got), len(want))
	}
}

// The examples of docs/findings.md have the findings that they claim, and their corrections have none.
func TestFindingsExamples(t *testing.T) {
	for _, s := range readSections(t) {
		if s.parts[0] == "" {
			continue
		}
		t.Run(s.id, func(t *testing.T) {
			var files [2]string
			for i, part := range s.parts {
				files[i] = write(t, s.marks[i]+".yaml", exampleCRD(t, part))
			}
			if s.marks == [2]string{"old", "new"} {
				for _, file := range files {
					if found := foundRules(t, "lint", file, "--min-severity", "error"); found != nil {
						t.Errorf("%s: lint finds %v", filepath.Base(file), found)
					}
				}
				if found := foundRules(t, "upgrade-check", "--old-crd", files[0], "--new-crd", files[1], "--min-severity", "hint"); !slices.Contains(found, s.id) {
					t.Errorf("found %v", found)
				}
				return
			}
			if found := foundRules(t, "lint", files[0], "--min-severity", "hint"); !slices.Contains(found, s.id) {
				t.Errorf("found %v", found)
			}
			found := foundRules(t, "lint", files[1], "--min-severity", "hint")
			if s.id != string(crd.MarkerUnenforced) { // the CRDs in examples of markers have no CEL rules
				found = slices.DeleteFunc(found, func(id string) bool { return id == string(crd.MarkerUnenforced) })
			}
			if len(found) > 0 {
				t.Errorf("instead of it, found %v", found)
			}
		})
	}
}

// foundRules runs a command and returns the rules of its findings.
func foundRules(t *testing.T, args ...string) (found []string) {
	t.Helper()
	status, stdout, stderr := run("", false, append(args, "-o", "report")...)
	type findings struct{ Findings, Changes []struct{ Rule string } }
	all, err := reportedObjects[findings](stdout)
	if err != nil || status == 3 {
		t.Fatalf("%v: status %d, %v: %s", args, status, err, stderr)
	}
	for _, one := range all {
		for _, f := range slices.Concat(one.Findings, one.Changes) {
			found = append(found, f.Rule)
		}
	}
	return found
}

// exampleCRD returns the CRD of an example, as the introduction of docs/findings.md describes it.
func exampleCRD(t *testing.T, example string) string {
	t.Helper()
	docs, err := manifest.ReadValues("example", []byte(example))
	if err != nil || len(docs) != 1 {
		t.Fatalf("%v in\n%s", err, example)
	}
	first, _, _ := strings.Cut(example, ":")
	in := docs[0].(map[string]any)
	object := map[string]any{"type": "object"}
	version := map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": object}}
	spec := map[string]any{
		"group": "example.com", "scope": "Namespaced", "names": map[string]any{"kind": "Thing", "plural": "things"},
		"versions": []any{version},
	}
	definition := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec,
		"metadata": map[string]any{"name": "things.example.com"},
	}
	switch first {
	case "type":
		version["schema"] = map[string]any{"openAPIV3Schema": in}
	case "apiVersion", "metadata", "spec":
		for k, v := range in {
			if part, ok := v.(map[string]any); ok && k == "spec" {
				for name, v := range part {
					spec[name] = v
				}
				continue
			}
			definition[k] = v
		}
	case "served", "storage", "schema", "subresources", "additionalPrinterColumns", "selectableFields":
		for k, v := range in {
			version[k] = v
		}
	default:
		object["required"] = []any{"spec"}
		object["properties"] = map[string]any{"spec": map[string]any{"type": "object", "properties": in}}
	}
	text, err := json.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
