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

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// measuredRatios returns the ratio of instructions and the ratio of CPU time of each operation
// and object, by "operation/object".
func measuredRatios(t *testing.T) map[string][]string {
	t.Helper()
	measured := map[string][]string{}
	_, tables, ok := strings.Cut(readFile(t, "../bench/RESULTS.md"), "## All operations")
	if !ok {
		t.Fatal("bench/RESULTS.md has no table of all operations")
	}
	for _, line := range strings.Split(tables, "\n") {
		if cells := strings.Split(strings.Trim(line, "| "), " | "); len(cells) == 6 {
			measured[cells[0]+"/"+cells[1]] = cells[2:4]
		}
	}
	return measured
}

// short writes a ratio with two digits.
func short(t *testing.T, ratio string) string {
	t.Helper()
	n, err := strconv.ParseFloat(ratio, 64)
	switch {
	case err != nil:
		t.Fatal(err)
	case n >= 10:
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.1f", n)
}

// operations maps the names of operations in documents to their names in RESULTS.md.
var operations = map[string]string{
	"an apply that changes nothing":           "apply a config that changes nothing",
	"an apply that changes one field":         "apply a config that changes one field",
	"an update of an object with 1 manager":   "update one field of an object with 1 manager",
	"an update of an object with 20 managers": "update one field of an object with 20 managers",
	"an update of a Go struct":                "update one field of a Go struct",
	"a comparison of two objects":             "compare two objects with one different field",
	"the validation of an object":             "validate an object",
	"a merge of two objects":                  "merge a config that changes one field",
}

// TestReadme compares the table in the README with the measurements. Each cell has the ratio of
// CPU, and the ratio of instructions in brackets.
func TestReadme(t *testing.T) {
	measured := measuredRatios(t)
	objects := []string{"Pod", "Deployment", "Service", "EndpointSlice, 1,000 endpoints"}
	found := 0
	for _, line := range strings.Split(readFile(t, "../../README.md"), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		operation := operations[cells[0]]
		if operation == "" || len(cells) != len(objects)+1 {
			continue
		}
		found++
		for i, object := range objects {
			m := measured[operation+"/"+object]
			if m == nil {
				t.Fatalf("%s of %s was not measured", operation, object)
			}
			if want := short(t, m[1]) + "x (" + short(t, m[0]) + "x)"; cells[i+1] != want {
				t.Errorf("README.md: %s of %s is %s, but the measurements say %s", cells[0], object, cells[i+1], want)
			}
		}
	}
	if found != 8 {
		t.Errorf("the table in README.md has %d rows, want 8", found)
	}
}

// TestGuide compares the tables in the guide for API servers with the recorded runs.
func TestGuide(t *testing.T) {
	guide := readFile(t, "../../docs/for-api-servers.md")
	measured := measuredRatios(t)
	found := 0
	for _, line := range strings.Split(guide, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		operation := operations[cells[0]]
		if operation == "" || len(cells) != 3 {
			continue
		}
		found++
		for i, object := range []string{"Pod", "Service"} {
			m := measured[operation+"/"+object]
			if m == nil {
				t.Fatalf("%s of %s was not measured", operation, object)
			}
			if want := short(t, m[1]); cells[i+1] != want {
				t.Errorf("%s of %s is %s, but the measurements say %s", cells[0], object, cells[i+1], want)
			}
		}
	}
	if found != 7 {
		t.Errorf("the table of operations has %d rows, want 7", found)
	}
	_, load, ok := strings.Cut(readFile(t, "../cluster/RESULTS.md"), "## Server CPU and bytes per request")
	if !ok {
		t.Fatal("cluster/RESULTS.md has no measurements")
	}
	load, _, _ = strings.Cut(load, "\n## ")
	tables := strings.Split(load, "| request |")
	for i, release := range []string{"1.36", "1.37", "1.38"} {
		if !strings.Contains(tables[i], "a run with Kubernetes "+release) {
			t.Fatalf("table %d is not about %s", i+1, release)
		}
		apply, patch, least, most := "", "", 100.0, 0.0
		for _, line := range strings.Split(tables[i+1], "\n") {
			cells := strings.Split(strings.Trim(line, "| "), " | ")
			if len(cells) != 5 {
				continue
			}
			ratio, err := strconv.ParseFloat(cells[2], 64)
			switch {
			case err != nil:
			case cells[0] == "an apply changes a Deployment that has 10 appliers":
				apply = cells[2]
			case cells[0] == "a merge patch changes a Deployment that has 10 appliers":
				patch = cells[2]
			default:
				least, most = min(least, ratio), max(most, ratio)
			}
		}
		if want := fmt.Sprintf("| %s | %s | %s | %.1f | %.1f |\n", release, apply, patch, least, most); !strings.Contains(guide, want) {
			t.Errorf("the guide has no row %s", want)
		}
	}
}

// TestLargeConfigMap compares the ranges of ratios for a ConfigMap with one value of 1 MB, which the
// guide for API servers gives, with the measurements.
func TestLargeConfigMap(t *testing.T) {
	type bounds struct{ least, most float64 }
	plain, structs := bounds{least: 100}, bounds{least: 100}
	for name, ratios := range measuredRatios(t) {
		operation, object, _ := strings.Cut(name, "/")
		if object != "ConfigMap, one value of 1 MB" {
			continue
		}
		ratio, err := strconv.ParseFloat(ratios[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		to := &plain
		if strings.Contains(operation, "Go struct") {
			to = &structs
		}
		to.least, to.most = min(to.least, ratio), max(to.most, ratio)
	}
	guide := strings.Join(strings.Fields(readFile(t, "../../docs/for-api-servers.md")), " ")
	want := fmt.Sprintf("For a ConfigMap with one value of 1 MB, the ratios are between %.1f and %.1f for plain data, and between %.2f and %.1f for Go structs.",
		plain.least, plain.most, structs.least, structs.most)
	if !strings.Contains(guide, want) {
		t.Errorf("the guide does not say %s", want)
	}
}

// TestRequestsInReadme compares the ratios of whole requests in the README with the table in the
// guide, which TestGuide checks.
func TestRequestsInReadme(t *testing.T) {
	least, most, leastAppliers, mostAppliers := 100.0, 0.0, 100.0, 0.0
	rows := 0
	for _, line := range strings.Split(readFile(t, "../../docs/for-api-servers.md"), "\n") {
		var release string
		var apply, patch, low, high float64
		if n, _ := fmt.Sscanf(line, "| %s | %f | %f | %f | %f |", &release, &apply, &patch, &low, &high); n != 5 {
			continue
		}
		rows++
		least, most = min(least, low), max(most, high)
		leastAppliers, mostAppliers = min(leastAppliers, apply, patch), max(mostAppliers, apply, patch)
	}
	if rows != 3 {
		t.Fatalf("the guide has %d rows about releases, want 3", rows)
	}
	readme := strings.Join(strings.Fields(readFile(t, "../../README.md")), " ")
	want := fmt.Sprintf("structured-merge-diff needs %.1f to %.1f times as much CPU time, and %.1f to %.1f times as much if the object has ten appliers", least, most, leastAppliers, mostAppliers)
	if !strings.Contains(readme, want) {
		t.Errorf("the README does not say %s", want)
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
