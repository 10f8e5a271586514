// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLintFixEnds runs lint --fix repeatedly on CRDs with random mistakes. A repair may reveal
// other findings, but the last run must find nothing to repair. If a CRD cannot be read, it must
// not change.
func TestLintFixEnds(t *testing.T) {
	p := &replay{T: t, r: rand.New(rand.NewPCG(5, 6))}
	mended, refused := 0, 0
	for _, s := range scripts(t) {
		for _, f := range s.files {
			if !isFor("--crd", f.Text) || len(f.Text) > 20_000 {
				continue
			}
			times := 12
			if _, _, stderr := run(f.Text, false, "lint", "-", "--fix"); strings.Contains(stderr, "; --fix ") {
				times = 160 // the CRD has something to repair
			}
			for i := range times {
				text := f.Text
				if i > 0 {
					text = p.corrupt(text, 1)
				}
				for round := 0; ; round++ {
					status, stdout, stderr := run(text, false, "lint", "-", "--fix")
					checkOrderly(t, text, []string{"lint", "--fix"}, status, stdout, stderr)
					if status == 3 {
						if round > 0 {
							t.Fatalf("the fixed CRD cannot be read: %s\n%s", stderr, text)
						}
						refused++
						break
					}
					if !strings.Contains(stderr, "; --fix ") {
						if stdout != text && round > 0 && strings.TrimSpace(stdout) != strings.TrimSpace(text) {
							t.Fatalf("changed without a finding:\n%s\nto\n%s", text, stdout)
						}
						break
					}
					if round == 5 {
						t.Fatalf("does not end: %s\n%s", stderr, stdout)
					}
					mended++
					text = stdout
				}
			}
		}
	}
	if mended < 50 || refused < 50 {
		t.Errorf("fixed %d, rejected %d", mended, refused)
	}
}
