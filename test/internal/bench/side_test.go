// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"os"
	"strings"
	"testing"
)

func TestSideBySide(t *testing.T) {
	var upstream, ours Results
	read := func(r *Results, text string) {
		t.Helper()
		if err := r.Read(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	read(&upstream, "BenchmarkFresh/a/Validate/Pod-2 10 500 ns/op 400 cpu-ns/op 100 B/op\nBenchmarka/Validate/Pod 1 900 instructions/op\n"+
		"BenchmarkFresh/a/Validate/Node 10 100 ns/op 100 cpu-ns/op 10 B/op\nBenchmarkonly/here 1 1 ns/op\n")
	read(&ours, "BenchmarkFresh/a/Validate/Pod-2 10 500 ns/op 100 cpu-ns/op 50 B/op\n"+string(Counts{"a/Validate/Pod": 300}.Lines())+
		"BenchmarkFresh/a/Validate/Node 10 100 ns/op 100 cpu-ns/op 20 B/op\n")
	rows := SideBySide(&upstream, &ours)
	if len(rows) != 2 || rows[0].Name != "a/Validate/Node" || rows[1].Name != "a/Validate/Pod" {
		t.Fatalf("got %+v", rows)
	}
	if r := rows[1]; r.Ratio(Instructions) != 3 || r.Ratio(CPU) != 4 || r.Ratio(Bytes) != 2 || r.Ratio(Allocs) != 0 {
		t.Errorf("got %+v", r)
	}
	groups := Means(rows)
	if len(groups) != 1 || times(groups[0].Mean(CPU)) != "2.00" || groups[0].Least(CPU) != 1 || times(groups[0].Mean(Instructions)) != "3.00" || groups[0].Mean(Allocs) != 0 {
		t.Errorf("got %+v", groups)
	}
	var text strings.Builder
	if err := WriteSideBySide(&text, rows); err != nil {
		t.Fatal(err)
	}
	short := text.String()[strings.Index(text.String(), "## Operations below the promised minimum"):strings.Index(text.String(), "## All operations")]
	if !strings.Contains(short, "| validate an object | Node | - | 1.00 | 0.50 |") || strings.Contains(short, "Pod") {
		t.Errorf("the list of operations below the minimum is wrong: %s", short)
	}
	if !strings.Contains(text.String(), "| validate an object | `a/Validate` | 2 | 3.00 (3.00) | 2.00 (1.00) | 1.00 (0.50) |") {
		t.Error(text.String())
	}
}

// TestSiteColumns checks that the build of the site, which draws charts of the first table, finds
// the table and its columns.
func TestSiteColumns(t *testing.T) {
	build, err := os.ReadFile("../../../web/site/build.mjs")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := WriteSideBySide(&text, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"operation", "benchmark", headInstructions + ", mean (smallest)", headCPU + ", mean (smallest)", headBytes + ", mean (smallest)"} {
		if !strings.Contains(string(build), `"`+name+`"`) || !strings.Contains(text.String(), "| "+name+" |") {
			t.Errorf("the site or the document has no column %q", name)
		}
	}
	for _, phrase := range []string{"In this table, each row", "The numbers in the tables", "## Operations below"} {
		if !strings.Contains(string(build), `"`+phrase+`"`) || !strings.Contains(text.String(), phrase) {
			t.Errorf("the site or the document does not contain %q", phrase)
		}
	}
}

func TestAboveOnce(t *testing.T) {
	var once Results
	if err := once.Read(strings.NewReader(string(Counts{"a/x": 100, "b/x": 1000}.Lines()))); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(Counts{"a/x": 105, "b/x": 1051, "c/x": 1}.Above(&once, 1.05), "; ")
	if want := "b/x: 1,051, once 1,000; c/x: 1, once 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
