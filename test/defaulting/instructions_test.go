// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaulting

import (
	"flag"
	"os"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/callgrind"
)

var (
	instructions = flag.Bool("instructions", false, "count instructions with valgrind, see TestInstructions")
	counted      = flag.Bool("counted", false, "run as the program that TestInstructions starts")
)

// atMost is the maximum cost of defaulting, relative to the cost of a copy of the object. The
// object already has its defaults.
const atMost = 0.6

// TestInstructions counts the instructions of operations. Other programs on the machine do not
// affect the counts:
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
	program.Env = os.Environ()
	for _, r := range resources {
		dir, err := download(r.module)
		if err != nil {
			t.Fatal(err)
		}
		program.Env = append(program.Env, dirOf(r.module)+"="+dir) // the program must not run the go command to find the folder
	}
	counts, err := callgrind.Run(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources {
		unit := counts[r.name+"/DeepCopyJSON"]
		for _, op := range operations {
			n := counts[r.name+"/"+op.name]
			if n == 0 {
				t.Errorf("%s/%s: callgrind did not count this operation", r.name, op.name)
			}
			t.Logf("%-12s %-30s %10.0f %6.2fx", r.name, op.name, n, n/unit)
		}
		if cost := counts[r.name+"/dovetail/Default"] / unit; cost > atMost {
			t.Errorf("%s: defaulting costs %.2f times as much as a copy, want at most %.1f", r.name, cost, atMost)
		}
	}
}

// count runs the operations, while callgrind counts their instructions.
func count(t *testing.T) {
	const runs = 20
	for _, r := range resources {
		for _, op := range operations {
			read, object := r.read(t), r.withDefaults(t)
			if op.fresh {
				object = r.object()
			}
			callgrind.Count(r.name+"/"+op.name, runs, func() {
				if err := op.run(read, object); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
