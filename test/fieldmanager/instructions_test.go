// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"flag"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/test/internal/callgrind"
)

var (
	instructions = flag.Bool("instructions", false, "count instructions with valgrind, see TestInstructions")
	counted      = flag.Bool("counted", false, "run as the program that TestInstructions starts")
)

// atMost has the maximum costs of requests with a cached live object. The unit is the cost of a
// copy of this object. Each maximum is at least 5 % above the measured cost. first is for a
// request that changes the object: an apply takes a field of each container from a controller.
// again is for the same request again, which changes nothing.
var atMost = map[string]struct{ first, again float64 }{
	"ApplyNoop/Pod": {3.7, 2.7}, "ApplyOneField/Pod": {3.7, 2.7}, "UpdateStatus/Pod": {1.6, 1},
	"ApplyNoop/Deployment": {4.1, 3}, "ApplyOneField/Deployment": {4.1, 3}, "UpdateStatus/Deployment": {1.6, 1},
}

// TestInstructions counts the instructions of requests with Dovetail's field manager, and of
// the same requests again. It divides the counts by the count for a copy of the live object
// without managed fields:
//
//	go test . -run TestInstructions -instructions -v
func TestInstructions(t *testing.T) {
	if *counted {
		count(t)
		return
	}
	if !*instructions {
		t.Skip("run with -instructions; this test needs valgrind and takes some minutes")
	}
	program, err := callgrind.OwnTest(t.TempDir(), "-test.run=^TestInstructions$", "-counted")
	if err != nil {
		t.Fatal(err)
	}
	counts, err := callgrind.Run(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range measuredRequests(t, fieldmanager.Options{}) {
		unit := counts["copy "+r.workload]
		for _, way := range []string{"ours ", "remembers "} {
			n, again := counts[way+r.name], counts[way+r.name+" again"]
			if unit == 0 || n == 0 || again == 0 {
				t.Fatalf("callgrind did not count all operations: %v", counts)
			}
			t.Logf("%-45s %10.0f %6.2fx, again %10.0f %6.2fx", way+r.name, n, n/unit, again, again/unit)
			if most, ok := atMost[r.name]; ok && way == "remembers " && (n > most.first*unit || again > most.again*unit) {
				t.Errorf("%s with a cached live object costs %.2f copies, and %.2f when repeated, want at most %.1f and %.1f", r.name, n/unit, again/unit, most.first, most.again)
			}
		}
	}
	// An apply that fails with 500 conflicts must not cost much more than a forced apply.
	forced, refused := counts["conflicts forced"], counts["conflicts refused"]
	if t.Logf("instructions of an apply with conflicts: rejected %.0f, forced %.0f", refused, forced); forced == 0 || refused == 0 || refused > 1.2*forced {
		t.Errorf("an apply that is rejected for its conflicts costs %.2f times as much as a forced apply, want at most 1.2", refused/forced)
	}
}

// count runs the operations while callgrind counts instructions.
func count(t *testing.T) {
	const runs = 5
	m, live, conflicts := conflicting(t)
	callgrind.Count("conflicts forced", runs, func() { _, _ = m.Apply(live, conflicts, "other", true) })
	callgrind.Count("conflicts refused", runs, func() { _, _ = m.Apply(live, conflicts, "other", false) })
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
			run(way+r.name+" again", r.repeated(t))
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

// result prevents the compiler from removing the measured code.
var result map[string]any
