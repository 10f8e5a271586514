// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadGinkgo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	report := `[{"SpecReports":[
		{"LeafNodeType":"BeforeSuite","LeafNodeText":"setup","State":"passed"},
		{"ContainerHierarchyTexts":["Fake","Apply"],"LeafNodeType":"It","LeafNodeText":"creates","State":"passed"},
		{"ContainerHierarchyTexts":["Fake","Apply"],"LeafNodeType":"It","LeafNodeText":"creates","State":"failed","Failure":{"Message":"no object"}},
		{"ContainerHierarchyTexts":["Fake"],"LeafNodeType":"It","LeafNodeText":"later","State":"pending"}
	]}]`
	if err := os.WriteFile(file, []byte(report), 0o644); err != nil {
		t.Fatal(err)
	}
	r := run(t, "pass TestFake", "pass")
	if err := r.readGinkgo(file, "m/fake"); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(r.Passed)), []string{"m/fake.Fake Apply creates", "p.TestFake"}; !slices.Equal(got, want) {
		t.Errorf("passed %q, want %q", got, want)
	}
	const second = "m/fake.Fake Apply creates#2"
	if !r.Failed[second] || len(r.Failed) != 1 || !strings.Contains(r.Output(second), "no object") {
		t.Errorf("failed %v, output %q", r.Failed, r.Output(second))
	}
	if !r.Skipped["m/fake.Fake later"] {
		t.Errorf("skipped %v", r.Skipped)
	}
}
