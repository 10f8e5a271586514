// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"flag"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dovetail-ssa/dovetail/conformance/internal/callgrind"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

var (
	instructions = flag.Bool("instructions", false, "count instructions under valgrind, see TestInstructions")
	counted      = flag.Bool("counted", false, "be the program that TestInstructions starts")
)

// mostAgain is what requests that change nothing may cost who remembers live objects, as a part
// of copying the object.
var mostAgain = map[string]float64{
	"ApplyNoop/Pod": 4, "ApplyOneField/Pod": 4, "UpdateStatus/Pod": 1.6,
	"ApplyNoop/Deployment": 4, "ApplyOneField/Deployment": 4, "UpdateStatus/Deployment": 1.6,
}

// TestInstructions counts what requests through our field manager cost, in instructions,
// against a copy of the live object without its managed fields, and what they cost when they
// come again:
//
//	go test . -run TestInstructions -instructions -v
func TestInstructions(t *testing.T) {
	if *counted {
		count(t)
		return
	}
	if !*instructions {
		t.Skip("needs valgrind, and some minutes; see -instructions")
	}
	binary := filepath.Join(t.TempDir(), "fieldmanager.test")
	if out, err := exec.Command("go", "test", "-c", "-tags=valgrind", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	counts, err := callgrind.Run(exec.Command(binary, "-test.run=^TestInstructions$", "-counted"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range measuredRequests(t, fieldmanager.Options{}) {
		unit := counts["copy "+r.workload]
		for _, way := range []string{"ours ", "remembers "} {
			n := counts[way+r.name]
			if unit == 0 || n == 0 {
				t.Fatalf("not all was counted: %v", counts)
			}
			again := counts[way+r.name+" again"]
			t.Logf("%-45s %10.0f %6.2fx, again %10.0f %6.2fx", way+r.name, n, n/unit, again, again/unit)
			if most := mostAgain[r.name]; way == "remembers " && most > 0 && again > most*unit {
				t.Errorf("%s again, remembered, costs %.2f of a copy, want %.1f at most", r.name, again/unit, most)
			}
		}
	}
}

// count is what happens under callgrind.
func count(t *testing.T) {
	const runs = 5
	copied := ""
	for _, o := range []fieldmanager.Options{{}, {RememberLive: 8}} {
		way := "ours "
		if o.RememberLive > 0 {
			way = "remembers "
		}
		for _, r := range measuredRequests(t, o) {
			run := func(label string, f func() map[string]any) {
				callgrind.Count(label, runs, func() { result = f() })
			}
			run(way+r.name, r.ours(t))
			run(way+r.name+" again", r.again(t))
			if o.RememberLive > 0 {
				continue
			}
			if r.workload != copied {
				copied = r.workload
				run("copy "+r.workload, r.copyLive())
			}
		}
	}
}

// result keeps what is counted from being optimized away.
var result map[string]any
