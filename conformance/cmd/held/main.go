// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Held compares what an idle API server's type converters hold in memory, over
// both engines, and fails when ours is not several times less. See
// conformance/bench.TestHeld.
//
//	go run ./cmd/held
//
// Bytes are those that are left after a collection: on another machine they
// differ by a few in a thousand.
package main

import (
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/conformance/internal/bench"
)

// least is how many times less than upstream's ours must be.
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
	var held [2]map[string]int
	for i, b := range binaries {
		out, err := b.Run("TestHeld")
		if err != nil {
			return err
		}
		held[i] = bench.Held(out)
	}
	for _, name := range []string{"converter/unused", "converter/used"} {
		theirs, ours := held[0][name], held[1][name]
		if theirs == 0 || ours == 0 {
			return fmt.Errorf("%s: not measured", name)
		}
		fmt.Printf("%-18s structured-merge-diff %6d B, ours %6d B: %.1f times less\n", name, theirs, ours, float64(theirs)/float64(ours))
		if theirs < least*ours {
			err = fmt.Errorf("%s: less than %d times less", name, least)
		}
	}
	return err
}
