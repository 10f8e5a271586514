// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command compares how much memory both engines keep in use. An idle API server keeps one type
// converter for each kind. With Dovetail, these converters must need only a fraction of the memory.
// Typed values and sets may need only a few bytes more than with structured-merge-diff, both
// with and without the memory of their inputs. See TestHeld and TestHeldResults in test/bench.
//
//	go run ./cmd/held
//
// The numbers are the bytes in use after garbage collection. They differ by a few tenths of a
// percent between machines.
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

// least is a minimum ratio: the type converters of structured-merge-diff must need at least
// five times as much memory as Dovetail's.
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

// rounds is the number of times that each result is measured. A single measurement can be too
// high, because it may include unrelated memory.
const rounds = 3

// heldResults measures each result several times and compares the smallest measurements. Its
// first error lists the results for which Dovetail uses too much memory.
func heldResults(binaries []bench.Binary) (fault, err error) {
	var least bytesByEngine
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

// bytesByEngine maps the name of each measured value to its bytes: first for
// structured-merge-diff, then for Dovetail.
type bytesByEngine [2]map[string]int

// measure runs a test of test/bench with each engine, and reads the numbers of bytes that the
// test prints.
func measure(binaries []bench.Binary, test string) (held bytesByEngine, err error) {
	for i, b := range binaries {
		out, err := b.Run(test)
		if err != nil {
			return held, err
		}
		if held[i] = bench.Held(out); len(held[i]) == 0 {
			return held, fmt.Errorf("with %s: %s measured nothing", b.Engine, test)
		}
	}
	return held, nil
}

// margin is the number of bytes that Dovetail may need in addition to what structured-merge-diff
// needs. It covers the error of a measurement, which is about 30 bytes per object. It also covers
// three test objects whose merge results contain an empty map of their own, and therefore need 48
// bytes more with Dovetail (shared-leaves in DIFFERENCES.md). In total, these merges need less
// memory.
const margin = 64

// check compares the memory that a value needs with both engines. The argument is a minimum
// ratio: structured-merge-diff must need at least this many times as much memory as Dovetail.
// Small differences are allowed (see margin).
func (b bytesByEngine) check(name string, least int) error {
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
