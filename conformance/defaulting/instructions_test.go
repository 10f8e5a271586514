// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaulting

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var (
	instructions = flag.Bool("instructions", false, "count instructions under valgrind, see TestInstructions")
	measure      = flag.String("measure", "", "operation to measure, for TestInstructions")
)

// atMost is what a pass of defaults and nulls over an object that has its defaults
// may cost, as a part of copying the object.
const atMost = 0.6

// TestInstructions counts what operations cost, in instructions, which time on a
// machine that others use does not tell:
//
//	go test . -run TestInstructions -instructions -v
func TestInstructions(t *testing.T) {
	if *measure != "" {
		measureOne(t, *measure)
		return
	}
	if !*instructions {
		t.Skip("needs valgrind, and some minutes; see -instructions")
	}
	// What go test runs itself has no symbols for callgrind to know.
	binary := filepath.Join(t.TempDir(), "defaulting.test")
	if out, err := exec.Command("go", "test", "-c", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	var modules []string
	for _, r := range resources {
		dir, err := download(r.module)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, dirOf(r.module)+"="+dir)
	}
	for _, r := range resources {
		counts := map[string]float64{}
		for _, op := range operations {
			counts[op.name] = collected(t, binary, r.name+"/"+op.name, modules)
		}
		unit := counts["DeepCopyJSON"]
		for _, op := range operations {
			t.Logf("%-12s %-30s %10.0f %6.2fx", r.name, op.name, counts[op.name], counts[op.name]/unit)
		}
		if cost := counts["dovetail/Default"] / unit; cost > atMost {
			t.Errorf("%s: defaulting costs %.2f of a copy, want %.1f at most", r.name, cost, atMost)
		}
	}
}

// runs is how often an operation is measured.
const runs = 20

var collectedLine = regexp.MustCompile(`Collected : (\d+)`)

// collected returns the instructions of one run of an operation, which another
// process of this test runs under callgrind.
func collected(t *testing.T, binary, name string, environ []string) float64 {
	t.Helper()
	var out []byte
	var err error
	var m [][]byte
	for try := 0; try < 3 && m == nil; try++ { // valgrind loses a Go program now and then
		cmd := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
			"--toggle-collect=*/defaulting.measured", binary, "-test.run", "^TestInstructions$", "-measure", name)
		// One thread of Go's, no collection and no preemption, whose signals cost
		// instructions.
		cmd.Env = append(append(os.Environ(), environ...), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1", "GOGC=off")
		if out, err = cmd.CombinedOutput(); err == nil {
			m = collectedLine.FindSubmatch(out)
		}
	}
	if err != nil || m == nil {
		t.Fatalf("valgrind: %v\n%s", err, bytes.TrimSpace(out))
	}
	n, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil || n < runs {
		t.Fatalf("%s: collected %s, %v", name, m[1], err)
	}
	return n / runs
}

func measureOne(t *testing.T, name string) {
	for _, r := range resources {
		for _, op := range operations {
			if r.name+"/"+op.name != name {
				continue
			}
			read, object := r.read(t), r.settled(t)
			if op.fresh {
				object = r.object()
			}
			for range 3 {
				if err := op.run(read, object); err != nil {
					t.Fatal(err)
				}
			}
			if err := measured(op.run, read, object); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no operation %q", name)
}

// measured is what callgrind looks at.
//
//go:noinline
func measured(run func(readers, map[string]any) error, r readers, object map[string]any) error {
	for range runs {
		if err := run(r, object); err != nil {
			return err
		}
	}
	return nil
}
