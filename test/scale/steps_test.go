// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var grows = flag.String("grows", `^(merge/Apply.*|fieldmanager/.*|resolve/.*) (names/shuffled|twos/shuffled/gate|loose|map|deep|set/shuffled)$|^resolve/.* numbers/shuffled$|^(typed|merge|fieldmanager)/.* (names|set)/(pairs|copies)$`,
	"series that TestGrowth counts, a regular `expression`")

// notLinear lists the series whose cost grows faster than the size, with reasons.
var notLinear = map[string]string{}

// TestGrowth checks that the cost of operations grows linearly with the size of an object. The
// cost is the number of executed blocks in this module's code, as go build -cover counts them.
// It does not include the standard library. The sizes are small, so that the test takes only
// seconds. The program in this folder counts all instructions at larger sizes.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with coverage")
	}
	const largest = 512
	dir := t.TempDir()
	binary := filepath.Join(dir, "worker")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=github.com/dovetail-ssa/dovetail/...", "-tags", "steps", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	work := exec.Command(binary, "-worker", "-largest", fmt.Sprint(largest), "-run", *grows)
	work.Env = append(os.Environ(), "GOCOVERDIR="+dir)
	work.Stderr = os.Stderr
	out, err := work.Output()
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]float64{}
	for line := range strings.Lines(string(out)) {
		label, n, _ := strings.Cut(strings.TrimSpace(line), " steps=")
		var count float64
		if _, err := fmt.Sscan(n, &count); err != nil || count == 0 {
			t.Fatalf("%s: %v", line, err)
		}
		steps[label] = count
	}
	series := 0
	o := &options{wanted: regexp.MustCompile(*grows), largest: largest}
	o.eachOperation(func(name string, largest int, _ func(n int) func()) {
		var at []int
		var counts []float64
		for _, n := range sizes(largest) {
			if count, ok := steps[fmt.Sprintf("%s n=%d", name, n)]; ok {
				at, counts = append(at, n), append(counts, count)
			}
		}
		if len(at) == 0 {
			return
		}
		series++
		// Sorting 512 items costs 1.8 times as much per item as sorting 32 items. This adds 0.2
		// to the exponent.
		got, why := exponent(at, counts), notLinear[name]
		if got > 1.25 && why == "" {
			t.Errorf("%s grows with n^%.2f: %.0f blocks at the sizes %v", name, got, counts, at)
		}
		if got <= 1.25 && why != "" {
			t.Errorf("%s grows with n^%.2f, so remove it from notLinear", name, got)
		}
	})
	if series == 0 {
		t.Errorf("no series matches %s", *grows)
	}
}
