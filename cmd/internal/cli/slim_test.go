// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim

package cli_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

const slimCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, required: [size], properties: {size: {type: integer}}}
`

// A command that was built without the rules for custom resources says that they are missing.
// Everything else works.
func TestSlim(t *testing.T) {
	crd := write(t, "crd.yaml", slimCRD)
	for _, args := range [][]string{{"lint", crd}, {"cel", crd}, {"upgrade-check", "--old-crd", crd, "--new-crd", crd}} {
		status, _, stderr := run("", false, args...)
		if status != command.StatusInvalid || !strings.Contains(stderr, "build it without the tag") {
			t.Errorf("%v: status %d: %s", args, status, stderr)
		}
	}
	object := "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {}}"
	status, _, stderr := run(object, false, "validate", "-f", "-", "--crd", crd)
	if status != command.StatusDone || !strings.Contains(stderr, "values are not checked") {
		t.Errorf("validate: status %d: %s", status, stderr)
	}
	status, _, stderr = run(object, false, "apply", "-f", "-", "--crd", crd, "--field-manager", "a")
	if status != command.StatusDone || !strings.Contains(stderr, "values are not checked") {
		t.Errorf("apply: status %d: %s", status, stderr)
	}
	status, _, stderr = run(object, false, "diff", "-f", "-", "--context", "shop", "--field-manager", "a")
	if status != command.StatusInvalid || !strings.Contains(stderr, "cannot read from a cluster") {
		t.Errorf("diff on a cluster: status %d: %s", status, stderr)
	}
}
