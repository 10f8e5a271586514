// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v7

import (
	"os"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
	"github.com/dovetail-ssa/dovetail/test/v7/upstream7"
)

// TestImplementation runs the cases of spec with structured-merge-diff v7. It compares the
// results with testdata/implementations.txt.
func TestImplementation(t *testing.T) {
	got, err := scopes.Results("structured-merge-diff v7", scopes.By(upstream7.New()), model.V7, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile("testdata/implementations.txt"); err != nil || got != string(want) {
		t.Errorf("testdata/implementations.txt is not up to date, want (%v)\n%s", err, got)
	}
}
