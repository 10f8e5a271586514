// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"slices"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var up, ours Results
	for _, text := range []string{
		"goos: linux\nBenchmarkSSA/a/Validate/Pod-2 100 9000 ns/op 8000 cpu-ns/op 640 B/op 20 allocs/op\nPASS\n",
		"BenchmarkSSA/a/Validate/Pod-2 100 9000 ns/op 9500 cpu-ns/op 640 B/op 20 allocs/op\nBenchmarkOnlyHere 1 5 ns/op\n",
	} {
		if err := up.Read(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := ours.Read(strings.NewReader("BenchmarkSSA/a/Validate/Pod \t 100 1100 ns/op 1000 cpu-ns/op 0 B/op 0 allocs/op\n")); err != nil {
		t.Fatal(err)
	}
	if got := up.Time("SSA/a/Validate/Pod"); got != 8000 {
		t.Errorf("time %v, want the smallest CPU time", got)
	}
	if got := up.Time("OnlyHere"); got != 5 {
		t.Errorf("got %v, want the elapsed time", got)
	}
	var b strings.Builder
	if err := Table(&b, &up, &ours); err != nil {
		t.Fatal(err)
	}
	row := strings.Fields(strings.Split(b.String(), "\n")[1])
	if want := []string{"8.00us", "1.00us", "8.00", "640", "0", "inf", "20", "0", "inf", "SSA/a/Validate/Pod"}; !slices.Equal(row, want) {
		t.Errorf("got %v\nwant %v", row, want)
	}
	if !strings.Contains(b.String(), "8.00   8.00 all, 1 benchmarks") {
		t.Errorf("no mean in\n%s", b.String())
	}
}

func TestDisagree(t *testing.T) {
	a := Digests([]byte("x_test.go:1: result a 1\nresult b 2\n    y.go:3: result c 3\n"))
	b := map[string]string{"a": "1", "b": "4", "d": "5"}
	if got, want := Disagree(a, b), []string{"b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
