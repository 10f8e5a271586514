// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v7

import (
	"os"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
	"github.com/dovetail-ssa/dovetail/test/internal/shim"
	"github.com/dovetail-ssa/dovetail/test/internal/surface"
)

func TestShimIsUpToDate(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	stale, err := shim.Stale(repo.V7, ".", root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stale {
		t.Error(s)
	}
}

// TestShimSurface checks that the drop-in exports the same names as v7.0.0. The types behind
// its aliases may have the additions of the engine.
func TestShimSurface(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../testdata/additions.txt")
	if err != nil {
		t.Fatal(err)
	}
	extra := surface.Surface{}
	for _, line := range strings.Split(string(text), "\n") {
		name, description, _ := strings.Cut(line, ": ")
		extra[name] = description
	}
	wrong, summary, err := surface.CompareShim(repo.V7, ".", root, extra)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range wrong {
		t.Error(d)
	}
	t.Log(summary)
}
