// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"testing"

	fuzz "github.com/google/gofuzz"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture"
)

// TestPathsInFixtures writes paths in the readable form of fixtures and reads them again.
func TestPathsInFixtures(t *testing.T) {
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		var p fieldpath.Path
		from.Fuzz(&p)
		text := fixture.FormatPath(p)
		back, err := fieldpath.ParsePath(text)
		if err != nil || !back.Equals(p) {
			t.Errorf("%v is written as %s and read as %v, %v", p, text, back, err)
		}
		if !p.Copy().Equals(p) || p.Compare(p.Copy()) != 0 {
			t.Errorf("%v does not equal its copy", p)
		}
	})
}
