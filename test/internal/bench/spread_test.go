// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"strings"
	"testing"
	"time"
)

func TestWriteRun(t *testing.T) {
	var upstream, ours, counts Results
	for r, text := range map[*Results]string{
		&upstream: "BenchmarkFresh/a/x-8 10 5 ns/op 300 cpu-ns/op\nBenchmarkFresh/a/x-8 10 5 ns/op 200 cpu-ns/op\n",
		&ours: Header("go1.99.1", time.Date(2031, 5, 4, 23, 0, 0, 0, time.UTC)) + "goos: linux\ngoarch: riscv64\ncpu: Fast\n" +
			"BenchmarkFresh/a/x-8 10 5 ns/op 100 cpu-ns/op\nBenchmarkFresh/a/x-8 10 5 ns/op 180 cpu-ns/op\nBenchmarkFresh/a/x-8 10 5 ns/op 120 cpu-ns/op\n" +
			"BenchmarkFresh/a/y-8 10 5 ns/op 100 cpu-ns/op\nBenchmarkFresh/a/y-8 10 5 ns/op 110 cpu-ns/op\n",
		&counts: "Benchmarka/x 1 900 instructions/op\n",
	} {
		if err := r.Read(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	if err := WriteRun(&text, &upstream, &ours); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| operating system and architecture | linux/riscv64 |\n", "| CPU | Fast |\n", "| processors that Go uses | 8 |\n",
		"| version of Go | go1.99.1 |\n", "| date | 2031-05-04 |\n", "| runs of each benchmark | 2 |\n",
		"| structured-merge-diff | 1.50 | 1.50 | 1.50 |\n", "| Dovetail | 1.80 | 1.80 | 1.80 |\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}

	text.Reset()
	if err := WriteRun(&text, &ours, &upstream); err != nil || !strings.Contains(text.String(), "| version of Go | not recorded |\n") {
		t.Errorf("measurements without a header: error %v and the text\n%s", err, &text)
	}
	text.Reset()
	if err := WriteRun(&text, &counts, &counts); err != nil || text.Len() > 0 {
		t.Errorf("counts of instructions: error %v and the text\n%s", err, &text)
	}
}
