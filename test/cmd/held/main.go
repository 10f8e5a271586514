// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Held compares the memory in use of both engines. The type converters of an idle API server
// must need several times less memory with Dovetail. Typed values and sets may need only a few
// bytes more with Dovetail, in addition to their inputs and in total. See test/bench.TestHeld
// and TestHeldResults.
//
//	go run ./cmd/held
//
// The numbers are bytes in use after garbage collection. On another machine, they differ by a
// few tenths of a percent.
package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/bench"
)

// least is the minimum factor by which Dovetail's converters need less memory than upstream's.
const least = 5

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "held:", err)
		os.Exit(1)
	}
}

func run() error {
	work, err := os.MkdirTemp("", "dovetail-held-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	binaries, err := bench.BuildOwn(work)
	if err != nil {
		return err
	}
	held, err := measure(binaries, "TestHeld")
	if err != nil {
		return err
	}
	var faults []error
	for _, name := range []string{"converter/unused", "converter/used"} {
		faults = append(faults, held.check(name, least))
	}
	results, err := heldResults(binaries)
	return errors.Join(append(faults, results, err)...)
}

// rounds is the number of measurements of each result. One measurement is not enough, because
// other memory may be in use at the same time.
const rounds = 3

// heldResults returns problems with the memory of results. It uses the smallest of several
// measurements.
func heldResults(binaries []bench.Binary) (fault, err error) {
	var least both
	for range rounds {
		held, err := measure(binaries, "TestHeldResults")
		if err != nil {
			return nil, err
		}
		for i := range held {
			for name, n := range least[i] {
				held[i][name] = min(held[i][name], n)
			}
		}
		least = held
		var faults []error
		for _, name := range slices.Sorted(maps.Keys(held[1])) {
			faults = append(faults, held.check(name, 1))
		}
		if fault = errors.Join(faults...); fault == nil {
			return nil, nil
		}
		fmt.Println("again, since:", fault)
	}
	return fault, nil
}

// both has bytes by name, for structured-merge-diff and for Dovetail.
type both [2]map[string]int

// measure runs a test that prints bytes, with each of the two engines.
func measure(binaries []bench.Binary, test string) (held both, err error) {
	for i, b := range binaries {
		out, err := b.Run(test)
		if err != nil {
			return held, err
		}
		if held[i] = bench.Held(out); len(held[i]) == 0 {
			return held, fmt.Errorf("over %s: %s measured nothing", b.Engine, test)
		}
	}
	return held, nil
}

// margin is the number of additional bytes that the check ignores. A measurement may be wrong
// by about 30 bytes per object, and by a thousandth of a total. Merges of three objects need 48
// bytes more in addition to their inputs, for an empty map of their own (shared-leaves in
// DIFFERENCES.md). Their total memory is smaller.
const margin = 64

// check returns an error unless Dovetail needs at most 1/least of the memory of
// structured-merge-diff.
func (b both) check(name string, least int) error {
	theirs, ok := b[0][name]
	ours := b[1][name]
	if !ok || least > 1 && ours == 0 {
		return fmt.Errorf("%s: not measured", name)
	}
	fmt.Printf("%-24s structured-merge-diff %7d B, Dovetail %7d B: %.1f to 1\n", name, theirs, ours, float64(theirs)/float64(ours))
	more := margin
	if strings.HasSuffix(name, "/alone") {
		more += theirs / 1000
	}
	if theirs+more < least*ours {
		return fmt.Errorf("%s: Dovetail keeps %d B, structured-merge-diff %d B, want at least %d to 1", name, ours, theirs, least)
	}
	return nil
}
