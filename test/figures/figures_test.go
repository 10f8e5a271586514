// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPublished checks that test/bench/RESULTS.md shows the measurements in test/bench/results.
func TestPublished(t *testing.T) {
	want, err := figures("../bench")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../bench/RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("RESULTS.md is not up to date, run go run .")
	}
}

// TestReadme compares the table in the README with the measurements. Each cell has the ratio of
// CPU, and the ratio of instructions in brackets.
func TestReadme(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	measured := map[string][]string{}
	for _, line := range strings.Split(read("../bench/RESULTS.md"), "\n") {
		if cells := strings.Split(strings.Trim(line, "| "), " | "); len(cells) == 7 {
			measured[cells[0]] = cells[1:3]
		}
	}
	short := func(ratio string) string {
		n, err := strconv.ParseFloat(ratio, 64)
		switch {
		case err != nil:
			t.Fatal(err)
		case n >= 10:
			return fmt.Sprintf("%.0fx", n)
		}
		return fmt.Sprintf("%.1fx", n)
	}
	objects := []string{"Pod", "Deployment", "Service", "EndpointSlice1000"}
	found := 0
	for _, line := range strings.Split(read("../../README.md"), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		operation := map[string]string{
			"apply, nothing changes": "e/ApplyNoop", "apply, one field": "f/ApplyOneField", "update, 1 manager": "h/UpdateStatus1Managers",
			"update, 20 managers": "h/UpdateStatus20Managers", "update, Go structs": "r/UpdateStatus", "compare": "d/CompareOneField",
			"validate": "a/Validate", "merge": "c/MergeOneField",
		}[cells[0]]
		if operation == "" || len(cells) != len(objects)+1 {
			continue
		}
		found++
		for i, object := range objects {
			m := measured[operation+"/"+object]
			if m == nil {
				t.Fatalf("%s of %s was not measured", operation, object)
			}
			if want := short(m[1]) + " (" + short(m[0]) + ")"; cells[i+1] != want {
				t.Errorf("README.md: %s of %s is %s, but the measurements say %s", cells[0], object, cells[i+1], want)
			}
		}
	}
	if found != 8 {
		t.Errorf("the table in README.md has %d rows, want 8", found)
	}
}

func TestFiguresOfNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := figures(dir); err == nil || !strings.Contains(err.Error(), "measure first") {
		t.Errorf("a folder without measurements: got error %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "results"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"upstream", "dovetail"} {
		if err := os.WriteFile(filepath.Join(dir, "results", engine+".txt"), []byte("Benchmark"+engine+"/x 1 2 ns/op\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := figures(dir); err == nil || !strings.Contains(err.Error(), "both engines") {
		t.Errorf("measurements without a common operation of both engines: got error %v", err)
	}
}
