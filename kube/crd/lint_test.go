// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"

	"strings"
	"testing"
)

func TestLint(t *testing.T) {
	crdtest.CheckBlocks(t, "testdata/lint.txt", func(t *testing.T, in string) string {
		d := crdtest.Read(t, crdtest.Document(in))
		if found := d.Validate(); len(found) > 0 {
			t.Errorf("Validate reports errors: %v", found)
		}
		return lines(d.Lint())
	})
}

// Lint ignores versions that are not served, and schemas that were not read completely.
func TestLintIgnores(t *testing.T) {
	in := crdtest.Document("{type: object, properties: {a: {type: array, items: {type: string}}}}")
	if got := crdtest.Read(t, in).Lint(); len(got) != 1 {
		t.Fatalf("got %v", got)
	}
	if got := crdtest.Read(t, strings.Replace(in, "served: true", "served: false", 1)).Lint(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	if got := crdtest.Read(t, crdtest.Head+`        {"type": "object", "not": `+strings.Repeat(`{"not": `, 1000)+"{}"+strings.Repeat("}", 1001)).Lint(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}
