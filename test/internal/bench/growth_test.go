// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestGrowth(t *testing.T) {
	var up, ours Results
	var a, b strings.Builder
	for _, n := range []float64{10, 100, 1000, 10_000} {
		fmt.Fprintf(&a, "BenchmarkScale/m/Merge/set/%.0f 1 5 ns/op %.0f cpu-ns/op\n", n, 3*n*n)
		fmt.Fprintf(&b, "BenchmarkScale/m/Merge/set/%.0f 1 5 ns/op %.0f cpu-ns/op\n", n, max(7*n, 700))
		fmt.Fprintf(&b, "BenchmarkScale/m/Once/set/%.0f 1 5 ns/op 9 cpu-ns/op\n", n)
	}
	b.WriteString("BenchmarkOther/Pod 1 5 ns/op\nBenchmarkScale/m/Short/10 1 5 ns/op\n")
	if err := up.Read(strings.NewReader(a.String())); err != nil {
		t.Fatal(err)
	}
	if err := ours.Read(strings.NewReader(b.String())); err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"Scale/m/Merge/set": 1, "Scale/m/Once/set": 0, "Scale/m/Short": math.NaN()}
	for _, g := range ours.Grows() {
		if w, ok := want[g.Series]; !ok || math.Abs(g.Exponent-w) > 1e-9 || math.IsNaN(w) != math.IsNaN(g.Exponent) {
			t.Errorf("%s grows with %v, want %v", g.Series, g.Exponent, w)
		}
		delete(want, g.Series)
	}
	if len(want) > 0 {
		t.Errorf("no growth of %v", want)
	}
	var text strings.Builder
	if above, err := GrowthTable(&text, &up, &ours, 1.3); err != nil || above != 0 {
		t.Errorf("%d above the limit, %v", above, err)
	}
	row := strings.Fields(strings.Split(text.String(), "\n")[1])
	if want := []string{"2.00", "1.00", "300.00ms", "10000", "70.00us", "10000", "Scale/m/Merge/set"}; !slices.Equal(row, want) {
		t.Errorf("got %v\nwant %v", row, want)
	}
	if above, err := GrowthTable(&text, &ours, &up, 1.3); err != nil || above != 1 {
		t.Errorf("%d above the limit, %v", above, err)
	}
}
