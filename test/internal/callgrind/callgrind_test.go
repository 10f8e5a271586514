// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package callgrind

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun checks that a loop with twice as many iterations has twice as many instructions.
func TestRun(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "loops")
	if out, err := exec.Command("go", "build", "-tags=valgrind", "-o", program, "./testdata/loops").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	with := func(unit string) *exec.Cmd {
		cmd := exec.Command(program)
		cmd.Env = []string{"UNIT=" + unit}
		return cmd
	}
	counts, err := Run(with("100000"))
	if err != nil {
		t.Fatal(err)
	}
	if len(counts) != 2 {
		t.Fatalf("%v, want two labels", counts)
	}
	if once, twice := counts["once"], counts["two times"]; once < 100_000 || once > 1_000_000 || twice < 1.99*once || twice > 2.01*once {
		t.Errorf("the short loop has %v instructions, the long loop %v", once, twice)
	}
	if _, err := Run(with("none")); err == nil || !strings.Contains(err.Error(), "invalid syntax") {
		t.Errorf("a failing program: got error %v", err)
	}
}

func TestRead(t *testing.T) {
	const head = "version: 1\n\ndesc: Trigger: Client Request: "
	for _, tt := range []struct{ name, dump, err string }{
		{"no label", "version: 1\nsummary: 12\n", ""},
		{"not counted", head + "\nsummary: 12\ntotals: 12\n", ""},
		{"idle thread", head + "a b n=4\nsummary: 0\n", ""},
		{"counted", head + "a b n=4\nsummary: 99\n\ntotals: 12\n", ""},
		{"another thread", head + "a b n=4\nsummary: 99\n\ntotals: 2\n", ""},
		{"no number", head + "a n=x\n\ntotals: 12\n", "has no number of runs"},
		{"no runs", head + "a n=0\n\ntotals: 12\n", "has no number of runs"},
		{"no total", head + "a n=4\n\ntotals: many\n", "totals of a n=4"},
	} {
		counts := map[string]float64{"a b": 1}
		err := read(counts, tt.dump)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
		}
		want := map[string]float64{"counted": 3}[tt.name]
		if want == 0 {
			want = 1
		}
		if len(counts) != 1 || counts["a b"] != want {
			t.Errorf("%s: %v, want %v", tt.name, counts, want)
		}
	}
}
