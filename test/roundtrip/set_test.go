// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"bytes"
	"testing"

	fuzz "github.com/google/gofuzz"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	upstream "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func fieldsV1(t *testing.T, s *fieldpath.Set) []byte {
	t.Helper()
	text, err := s.ToJSON()
	if err != nil {
		t.Errorf("%v: %v", s, err)
	}
	return text
}

func read(t *testing.T, text []byte) *fieldpath.Set {
	t.Helper()
	s := &fieldpath.Set{}
	if err := s.FromJSON(bytes.NewReader(text)); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return s
}

func readUpstream(t *testing.T, text []byte) *upstream.Set {
	t.Helper()
	s := &upstream.Set{}
	if err := s.FromJSON(bytes.NewReader(text)); err != nil {
		t.Errorf("upstream: %s: %v", text, err)
	}
	return s
}

func TestSets(t *testing.T) {
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		var s fieldpath.Set
		from.Fuzz(&s)
		text := fieldsV1(t, &s)
		back := read(t, text)
		again := fieldsV1(t, back)
		if once := read(t, again); !once.Equals(back) || !bytes.Equal(fieldsV1(t, once), again) {
			t.Errorf("%s becomes %s", again, fieldsV1(t, once))
		}
		want, err := readUpstream(t, text).ToJSON()
		if err != nil || !bytes.Equal(again, want) {
			t.Errorf("%s is written as\n%s, by upstream as\n%s, %v", text, again, want, err)
		}
		if got, want := back.String(), readUpstream(t, text).String(); got != want {
			t.Errorf("%s is\n%s, by upstream\n%s", text, got, want)
		}

		var stream bytes.Buffer
		if err := s.ToJSONStream(&stream); err != nil || !bytes.Equal(stream.Bytes(), text) {
			t.Errorf("a stream gets %s, %v, want %s", stream.Bytes(), err, text)
		}
		size := 0
		var paths []fieldpath.Path
		s.Iterate(func(p fieldpath.Path) {
			size++
			if !s.Has(p) {
				t.Errorf("%v is not in the set it came from", p)
			}
			paths = append(paths, p.Copy())
		})
		if size != s.Size() || (size == 0) != s.Empty() {
			t.Errorf("%d paths, size is %d, empty is %v", size, s.Size(), s.Empty())
		}
		if rebuilt := fieldpath.NewSet(paths...); !rebuilt.Equals(&s) || !bytes.Equal(fieldsV1(t, rebuilt), text) {
			t.Errorf("rebuilt from its paths: %v, want %v", rebuilt, &s)
		}
		if !s.Copy().Equals(&s) {
			t.Errorf("%v is not its copy", &s)
		}
	})
}

// The algebra of sets, with upstream as the oracle and with its laws.
func TestAlgebraOfSets(t *testing.T) {
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		var x, y fieldpath.Set
		from.Fuzz(&x)
		from.Fuzz(&y)
		// In both engines the sets are what is read from text.
		textA, textB := fieldsV1(t, &x), fieldsV1(t, &y)
		a, b := read(t, textA), read(t, textB)
		ua, ub := readUpstream(t, textA), readUpstream(t, textB)

		for name, op := range map[string]struct {
			got  *fieldpath.Set
			want *upstream.Set
		}{
			"union":                {a.Union(b), ua.Union(ub)},
			"intersection":         {a.Intersection(b), ua.Intersection(ub)},
			"difference":           {a.Difference(b), ua.Difference(ub)},
			"recursive difference": {a.RecursiveDifference(b), ua.RecursiveDifference(ub)},
			"leaves":               {a.Leaves(), ua.Leaves()},
		} {
			text, err := op.want.ToJSON()
			if err != nil {
				t.Fatal(err)
			}
			if got := fieldsV1(t, op.got); !bytes.Equal(got, text) {
				t.Errorf("%s of %s and %s is\n%s, by upstream\n%s", name, textA, textB, got, text)
			}
		}
		union, both, onlyA, onlyB := a.Union(b), a.Intersection(b), a.Difference(b), b.Difference(a)
		if !union.Equals(b.Union(a)) || !both.Equals(b.Intersection(a)) {
			t.Errorf("%s and %s: order matters", textA, textB)
		}
		if union.Size() != both.Size()+onlyA.Size()+onlyB.Size() {
			t.Errorf("%s and %s: %d paths, of them %d in both, %d and %d in one", textA, textB, union.Size(), both.Size(), onlyA.Size(), onlyB.Size())
		}
		if !onlyA.Intersection(b).Empty() || !onlyA.Union(both).Equals(a) {
			t.Errorf("%s without %s is %v", textA, textB, onlyA)
		}
		if !bytes.Equal(fieldsV1(t, a), fieldsV1(t, read(t, textA))) || !bytes.Equal(fieldsV1(t, b), fieldsV1(t, read(t, textB))) {
			t.Errorf("an operation changed its operand %s or %s", textA, textB)
		}
	})
}
