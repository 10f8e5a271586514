// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated adapters")

// TestAdapters generates the adapters for Dovetail and for structured-merge-diff v4 and v7. An
// adapter is a file with the code of package upstream, the adapter for v6, and with other
// import paths. With -update, the test writes these files.
func TestAdapters(t *testing.T) {
	names, err := filepath.Glob("upstream/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no adapter of v6, %v", err)
	}
	for _, adapter := range []struct {
		dir, doc, imports string
		lacks             string // a file of package upstream that is not copied to this adapter, because the adapter has its own version
	}{
		{"ours", "drives this repository's engine", "github.com/dovetail-ssa/dovetail", ""},
		{"upstream4", "drives structured-merge-diff v4", "sigs.k8s.io/structured-merge-diff/v4", "newer.go"},
		{"../../v7/upstream7", "drives structured-merge-diff v7", "sigs.k8s.io/structured-merge-diff/v7", ""},
	} {
		pkg := filepath.Base(adapter.dir)
		var std, imports []string
		var code strings.Builder
		for _, name := range names {
			if filepath.Base(name) == adapter.lacks {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(text), "\nimport (\n")
			block, body, ok := strings.Cut(rest, "\n)\n")
			if !ok {
				t.Fatalf("%s has no block of imports", name)
			}
			block = strings.ReplaceAll(block, "sigs.k8s.io/structured-merge-diff/v6", adapter.imports)
			for line := range strings.SplitSeq(block, "\n") {
				if strings.Contains(line, ".") {
					imports = append(imports, line)
				} else {
					std = append(std, line)
				}
			}
			code.WriteString(body)
		}
		slices.Sort(std)
		std = append(slices.Compact(std), "")
		slices.Sort(imports)
		want, err := format.Source([]byte("// SPDX-FileCopyrightText: The Dovetail authors\n// SPDX-License-Identifier: Apache-2.0\n\n" +
			"// Code generated from differential/engine/upstream by go generate; DO NOT EDIT.\n\n" +
			"// Package " + pkg + " " + adapter.doc + ".\npackage " + pkg +
			"\n\nimport (\n" + strings.Join(append(std, slices.Compact(imports)...), "\n") + "\n)\n" + code.String()))
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(adapter.dir, "zz_generated.go")
		if *update {
			err = os.WriteFile(name, want, 0o644)
		}
		if have, readErr := os.ReadFile(name); err != nil || readErr != nil || string(have) != string(want) {
			t.Errorf("%s is not up to date, run go generate: %v, %v", name, err, readErr)
		}
		others, err := filepath.Glob(filepath.Join(adapter.dir, "*.go"))
		if most := 1 + len(strings.Fields(adapter.lacks)); err != nil || len(others) != most {
			t.Errorf("%s has %d files, want %d (%v)", adapter.dir, len(others), most, err)
		}
	}
}
