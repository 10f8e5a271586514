// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"strconv"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/internal/amount"
)

// TestCanonicalAgrees checks that canonical never accepts a quantity that is not
// canonical.
func TestCanonicalAgrees(t *testing.T) {
	passed := 0
	for n := range 1100 {
		for _, unit := range []string{"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", ".", ".0"} {
			for _, sign := range []string{"", "+", "-", "0", " "} {
				text := sign + strconv.Itoa(n) + unit
				if !canonical(text) {
					continue
				}
				passed++
				if want, ok := amount.Canonical(text); !ok || want != text {
					t.Errorf("%q is accepted, but its canonical form is %q", text, want)
				}
			}
		}
	}
	if passed != 999*10+1 {
		t.Errorf("%d quantities are accepted", passed)
	}
}
