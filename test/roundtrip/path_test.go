// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"testing"

	fuzz "github.com/google/gofuzz"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture"
	upstream "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestPathElements(t *testing.T) {
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		var pe fieldpath.PathElement
		from.Fuzz(&pe)
		text, err := fieldpath.SerializePathElement(pe)
		if err != nil {
			t.Errorf("%v: %v", pe, err)
			return
		}
		back, err := fieldpath.DeserializePathElement(text)
		if err != nil {
			t.Errorf("%v is written as %s and not read: %v", pe, text, err)
			return
		}
		// What is read has numbers as floating point, so the second text counts.
		again, err := fieldpath.SerializePathElement(back)
		if err != nil {
			t.Error(err)
			return
		}
		once, err := fieldpath.DeserializePathElement(again)
		if err != nil || !once.Equals(back) || once.Compare(back) != 0 || once.String() != back.String() {
			t.Errorf("%s is read as %v, written as %s and read as %v, %v", text, back, again, once, err)
		}

		theirs, err := upstream.DeserializePathElement(text)
		if err != nil {
			t.Errorf("upstream does not read %s: %v", text, err)
			return
		}
		if theirs.String() != back.String() {
			t.Errorf("%s is %v, by upstream %v", text, back, theirs)
		}
		if want, err := upstream.SerializePathElement(theirs); err != nil || want != again {
			t.Errorf("%s is written as %s, by upstream as %s, %v", text, again, want, err)
		}
	})
}

// Paths of fixtures are text for people; they must say the same.
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
			t.Errorf("%v is not its copy", p)
		}
	})
}
