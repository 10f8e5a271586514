// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"math/rand"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dovetail-ssa/dovetail/internal/quantity"
)

// TestQuantitiesAgree checks pairs of quantities. If Dovetail considers two quantities equal,
// apimachinery must consider them equal, too. The exceptions are numbers that apimachinery
// rounds or limits.
func TestQuantitiesAgree(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	units := []string{"", "", "m", "u", "n", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "e3", "E3", "e-3", "E+2", "e", "mm", "K", "e1.5"}
	random := func() string {
		var b strings.Builder
		b.WriteString([]string{"", "", "", "-", "+"}[rnd.Intn(5)])
		b.WriteString([]string{"0", "1", "1", "2", "1024", "1000", "10", "5", "512", "1.5", "0.5", ".5", "1.", "1.000", "0.001", "", "1.2.3"}[rnd.Intn(17)])
		b.WriteString(units[rnd.Intn(len(units))])
		return b.String()
	}
	equal, different, malformed := 0, 0, 0
	for range 500_000 {
		a, b := random(), random()
		x, xErr := resource.ParseQuantity(a)
		y, yErr := resource.ParseQuantity(b)
		got := quantity.Equal(a, b)
		if xErr != nil || yErr != nil {
			malformed++
			if got {
				t.Fatalf("Dovetail treats %q and %q as equal; apimachinery: %v, %v", a, b, xErr, yErr)
			}
			continue
		}
		if x.Cmp(y) == 0 != got {
			if rounds(a) || rounds(b) {
				continue
			}
			t.Fatalf("%q and %q: Dovetail says that they are equal: %v", a, b, got)
		}
		if got && a != b {
			equal++
		} else if !got {
			different++
		}
	}
	if equal < 2_000 || different < 10_000 || malformed < 10_000 {
		t.Errorf("%d equal, %d different, %d malformed: too little was tested", equal, different, malformed)
	}
}

// rounds reports whether apimachinery may store a number that differs from the number in the
// text. This can happen if the number has digits below 1n, or is outside of apimachinery's
// range.
func rounds(text string) bool {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return false
	}
	return !quantity.Equal(text, q.AsDec().String())
}
