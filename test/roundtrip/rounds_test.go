// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"flag"
	"testing"

	fuzz "github.com/google/gofuzz"
)

var (
	rounds = flag.Int("rounds", 3000, "number of random inputs for each test")
	seed   = flag.Int64("seed", 1, "seed of the random inputs")
)

// each calls f once for each round, with a source of random data. If a round fails, it prints
// the seed.
func each(t *testing.T, f func(t *testing.T, from *fuzz.Fuzzer)) {
	t.Helper()
	for i := range *rounds {
		s := *seed + int64(i)
		f(t, newFuzzer(s))
		if t.Failed() {
			t.Fatalf("repeat with -seed %d -rounds 1", s)
		}
	}
}
