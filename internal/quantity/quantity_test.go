// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package quantity

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

func TestEqual(t *testing.T) {
	same := [][]any{
		{"1", int64(1), 1, 1.0, "1000m", "1.0", "+1", "01", "1e0", "0.1e1", "1000000000n", "1000000u", "1."},
		{"0.5", 0.5, "500m", ".5", "5e-1", "500e-3"},
		{"1Ki", "1024", int64(1024), "1.024k"},
		{"1E", "1e18", "1000P", int64(1e18)},
		{"1Ei", "1152921504606846976"},
		{"0", "-0", "0m", "0Gi", int64(0), "0e5"},
		{"-1", "-1000m", int64(-1)},
		{"0.1", 0.1, "100m"},
		{"9223372036854775808", "9223372036854775808000m"},
	}
	for i, a := range same {
		for j, b := range same {
			for _, x := range a {
				for _, y := range b {
					if Equal(x, y) != (i == j) {
						t.Errorf("%v and %v: equal %v", x, y, i != j)
					}
				}
			}
		}
	}
	for _, bad := range []any{"", ".", "+", "-", "m", "1 ", " 1", "1x", "1mm", "1ki", "1.2.3", "1e", "1e+", "1e1.5", "1e999999999", "--1", "+-1", "1_0", "0x1", "١", nil, true, []any{"1"}, map[string]any{}, strings.Repeat("1", 300)} {
		if Equal(bad, bad) {
			t.Errorf("%v is a quantity", bad)
		}
	}
}

// TestEqualAgreesWithFractions computes the same numbers with fractions of integers, which is
// slow but obviously correct.
func TestEqualAgreesWithFractions(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	units := map[string]string{"": "1", "m": "1/1000", "u": "1/1000000", "n": "1/1000000000", "k": "1000", "M": "1000000", "Ki": "1024", "Mi": "1048576", "e3": "1000", "E-3": "1/1000"}
	names := slices.Sorted(maps.Keys(units))
	random := func() (string, *big.Rat) {
		digits := fmt.Sprint(rnd.Intn(9) * []int{1, 10, 1000, 1024, 1 << 20}[rnd.Intn(5)])
		if rnd.Intn(2) == 0 {
			at := rnd.Intn(len(digits) + 1)
			digits = digits[:at] + "." + digits[at:]
		}
		name := names[rnd.Intn(len(names))]
		number, ok := new(big.Rat).SetString(strings.TrimSuffix("0"+digits, "."))
		unit, too := new(big.Rat).SetString(units[name])
		if !ok || !too {
			t.Fatal(digits, name)
		}
		return digits + name, number.Mul(number, unit)
	}
	equal := 0
	for range 200_000 {
		a, x := random()
		b, y := random()
		want := x.Cmp(y) == 0
		if Equal(a, b) != want {
			t.Fatalf("%s and %s: equal %v", a, b, !want)
		}
		if want && a != b {
			equal++
		}
	}
	if equal < 1000 {
		t.Errorf("only %d pairs are equal", equal)
	}
}

func FuzzEqual(f *testing.F) {
	for _, s := range []string{"1", "1.5Gi", "100m", "1e3", "-.5E", "1e-256"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if Equal(a, b) != Equal(b, a) {
			t.Error("not symmetric")
		}
		if a == b && Equal(a, "0") && !Equal(b, "-0") {
			t.Error("not transitive")
		}
	})
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b any
		want int
		ok   bool
	}{
		{"1Gi", "1024Mi", 0, true}, {"1Gi", "1G", 1, true}, {int64(1), "1500m", -1, true},
		{"a", "1", 0, false}, {nil, "1", 0, false},
	} {
		if got, ok := Compare(c.a, c.b); got != c.want || ok != c.ok {
			t.Errorf("%v and %v: got %d, %v, want %d, %v", c.a, c.b, got, ok, c.want, c.ok)
		}
	}
}
