// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

var update = flag.Bool("update", false, "rewrite the files with the expected results")

// TestRules compares the findings in the packages under testdata/rules with rules.txt.
// Types whose names start with Good must have no findings.
func TestRules(t *testing.T) {
	src, err := markers.Load(markers.Config{Dir: "testdata/rules"}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	rules := map[markers.Rule]bool{}
	for _, f := range src.Check() {
		b.WriteString(f.String())
		if f.Warning {
			b.WriteString(" (warning)")
		}
		if f.Fixable {
			b.WriteString(" (fixable)")
		}
		b.WriteString("\n")
		rules[f.Rule] = true
		if strings.Contains(f.What, "Good.") || strings.Contains(f.What, "GoodUnion") || strings.Contains(f.What, "GoodTwice") {
			t.Errorf("%s", f)
		}
	}
	compare(t, "testdata/rules.txt", b.String())
	for _, r := range []markers.Rule{
		markers.DefaultSyntax, markers.DefaultTwice, markers.DefaultType, markers.DefaultInvalid, markers.DefaultEndless, markers.StructDefault,
		markers.StructOmitempty, markers.DefaultOmitempty, markers.HiddenZero, markers.Immutable, markers.ListKeys, markers.ListType, markers.UnionMembers, markers.MarkerValue, markers.NumberFormat,
		markers.MarkerPlace, markers.UnknownMarker, markers.NotExpressed, markers.JSONName, markers.Unsupported, markers.SetDefaults,
	} {
		if !rules[r] {
			t.Errorf("no finding for the rule %s", r)
		}
	}
}

// compare compares got with the content of a file, or writes the file with -update.
func compare(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	in := func(line string, lines []string) bool {
		for _, l := range lines {
			if l == line {
				return true
			}
		}
		return false
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for _, l := range a {
		if !in(l, b) {
			t.Errorf("%s: missing: %s", name, l)
		}
	}
	for _, l := range b {
		if !in(l, a) {
			t.Errorf("%s: unexpected: %s", name, l)
		}
	}
	if !t.Failed() {
		t.Errorf("%s: the order of the lines differs", name)
	}
}
