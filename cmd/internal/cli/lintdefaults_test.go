// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lintedDefinition is a CRD with two fields whose schemas a test inserts.
const lintedDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              other: OTHER
              replicas: REPLICAS
`

// TestLintHidesNoDefault combines a wrong default with another error, and with each way to hide
// the other error. Lint must report the wrong default. If it cannot check the default because of
// the other error, it must report the other error, and end with status 1.
func TestLintHidesNoDefault(t *testing.T) {
	document := func(replicas, other string) string {
		return strings.NewReplacer("REPLICAS", replicas, "OTHER", other).Replace(lintedDefinition)
	}
	const wrong = `{type: integer, default: "3"}`
	for _, c := range []struct{ rule, replicas, other string }{
		{"immutability-value", wrong, "{type: string, x-kubernetes-immutable: false}"},
		{"immutability-place", wrong, "{type: string, x-kubernetes-immutable-keys: true}"},
		{"immutability-exclusive", wrong, "{type: string, x-kubernetes-immutable: true, x-kubernetes-set-once: true}"},
		{"key-without-default", wrong, "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}"},
		{"type", wrong, "{}"},
		{"unsupported", wrong, "{type: string, $ref: x}"},
		{"malformed", wrong, "{type: integer, minimum: x}"},
		{"preserve-unknown-fields", wrong, "{type: object, x-kubernetes-preserve-unknown-fields: false}"},
		{"items", wrong, "{type: array, x-kubernetes-list-type: atomic}"},
		{"list-type", wrong, "{type: array, x-kubernetes-list-type: bag, items: {type: string}}"},
		{"pattern", wrong, "{type: string, pattern: '('}"},
		{"nested", wrong, "{type: string, anyOf: [{type: string}]}"},
		{"validations", wrong, "{type: string, x-kubernetes-validations: [{rule: nothing}]}"},
		{"default-unknown-field", wrong, "{type: object, default: {a: 1}, properties: {b: {type: string}}}"},
		{"immutability-value", `{type: integer, default: "3", x-kubernetes-immutable: false}`, "{type: string}"},
		// Lint cannot check these defaults.
		{"type", `{default: "3"}`, "{type: string}"},
		{"malformed", `{type: integer, default: "3", minimum: x}`, "{type: string}"},
		{"unsupported", `{type: integer, default: "3", $ref: x}`, "{type: string}"},
		{"list-type", `{type: object, default: {}, properties: {a: {type: array, x-kubernetes-list-type: bag, items: {type: string}}}}`, "{type: string}"},
	} {
		checked := c.replicas == wrong || c.rule == "immutability-value"
		text := document(c.replicas, c.other)
		baseline := filepath.Join(t.TempDir(), "baseline.json")
		known := strings.Replace(text, `default: "3"`, "default: 3", 1) // the baseline does not have the wrong default
		run(known, false, "lint", "-", "--baseline", baseline, "--write-baseline")
		if data, err := os.ReadFile(baseline); err != nil || !strings.Contains(string(data), c.rule) {
			t.Errorf("%s: got the baseline %s, %v", c.rule, data, err)
		}
		for _, way := range []struct {
			name, text string
			args       []string
		}{
			{"nothing hidden", text, nil},
			{"rules", text, []string{"--rules", "default-value"}},
			{"without rule", text, []string{"--rules=-" + c.rule}},
			{"severity", text, []string{"--min-severity", "error"}},
			{"comment", "# dovetail-lint: ignore-file=" + c.rule + "\n" + text, nil},
			{"baseline", text, []string{"--baseline", baseline}},
			{"baseline and rules", text, []string{"--baseline", baseline, "--rules", "default-value"}},
			{"comment, baseline and rules", "# dovetail-lint: ignore-file=" + c.rule + "\n" + text, []string{"--baseline", baseline, "--rules", "default-value"}},
		} {
			status, stdout, stderr := run(way.text, false, append([]string{"lint", "-"}, way.args...)...)
			want := "replicas.default: invalid default"
			if !checked {
				want = "(" + c.rule + ", error)"
				if way.name != "nothing hidden" && way.name != "severity" {
					want = "; because of this error, lint could not check .spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.replicas.default (" + c.rule + ", error)"
				}
			}
			if status != 1 || !strings.Contains(stdout, want) {
				t.Errorf("%s, %s: status %d, want %q in\n%s%s\n%s", c.rule, way.name, status, want, stdout, stderr, way.text)
			}
		}
		if status, stdout, stderr := run(text, false, "lint", "-", "--rules", "missing-list-type"); status != 0 || stdout != "" {
			t.Errorf("%s: status %d for another rule:\n%s%s", c.rule, status, stdout, stderr)
		}
	}
}

// An error prevents the check of a CEL rule and of a default. The message names only the default if
// only the rule about defaults is selected.
func TestLintNamesUncheckedPlace(t *testing.T) {
	text := strings.NewReplacer("REPLICAS", `{default: "3"}`, "OTHER", `{type: string, x-kubernetes-validations: [{rule: "self != ''"}]}`).Replace(lintedDefinition)
	_, stdout, _ := run(text, false, "lint", "-", "--rules", "default-value")
	if want := "lint could not check .spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.replicas.default (type, error)"; !strings.Contains(stdout, want) {
		t.Errorf("got %s, want %s", stdout, want)
	}
	_, stdout, _ = run(text, false, "lint", "-", "--rules=-type")
	if want := "lint could not check .spec.versions[0].schema.openAPIV3Schema and 1 other place (type, error)"; !strings.Contains(stdout, want) {
		t.Errorf("got %s, want %s", stdout, want)
	}
}
