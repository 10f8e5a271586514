// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"flag"
	"testing"

	fuzz "github.com/google/gofuzz"
)

var (
	rounds = flag.Int("rounds", 3000, "how many random things each test makes")
	seed   = flag.Int64("seed", 1, "what they are made from")
)

// each calls f with a source for each round, and names the round that failed.
func each(t *testing.T, f func(t *testing.T, from *fuzz.Fuzzer)) {
	t.Helper()
	for i := range *rounds {
		s := *seed + int64(i)
		f(t, newFuzzer(s))
		if t.Failed() {
			t.Fatalf("again with -seed %d -rounds 1", s)
		}
	}
}
