// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v7

import (
	"encoding/json/v2"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
	uvalue6 "sigs.k8s.io/structured-merge-diff/v6/value"
	upath "sigs.k8s.io/structured-merge-diff/v7/fieldpath"
	uvalue "sigs.k8s.io/structured-merge-diff/v7/value"
)

// withVersion calls f while the process has the policies of a version.
func withVersion(v schema.Version, f func()) {
	schema.SetProcessPolicies(schema.Policies{Version: v})
	defer schema.SetProcessPolicies(schema.Policies{Version: schema.Version7})
	f()
}

func read(t *testing.T, text string) *fieldpath.Set {
	t.Helper()
	s := &fieldpath.Set{}
	if err := s.FromJSON(strings.NewReader(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func toJSON(t *testing.T, s *fieldpath.Set) string {
	t.Helper()
	b, err := s.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestBytesOfEditions writes escapes, letters and exponents in both versions (v7-escapes,
// v7-letters and v7-exponents in DIFFERENCES.md). Both versions must write the bytes in the table
// there.
func TestBytesOfEditions(t *testing.T) {
	key := func(v any) fieldpath.Path { return fieldpath.MakePathOrDie(fieldpath.KeyByFields("a", v)) }
	name := "\b\f"
	for _, tc := range []struct {
		path   fieldpath.Path
		v6, v7 string
	}{
		{key("<&>\u2028"), `{"k:{\"a\":\"\\u003c\\u0026\\u003e\\u2028\"}":{}}`, `{"k:{\"a\":\"<&>` + "\u2028" + `\"}":{}}`},
		{key("\b\f\x01"), `{"k:{\"a\":\"\\u0008\\u000c\\u0001\"}":{}}`, `{"k:{\"a\":\"\\b\\f\\u0001\"}":{}}`},
		{fieldpath.Path{{FieldName: &name}}, `{"f:\u0008\u000c":{}}`, `{"f:\b\f":{}}`},
		{key(1e-7), `{"k:{\"a\":1e-07}":{}}`, `{"k:{\"a\":1e-7}":{}}`},
		{key(1e21), `{"k:{\"a\":1e+21}":{}}`, `{"k:{\"a\":1e+21}":{}}`},
	} {
		s := fieldpath.NewSet(tc.path)
		if got := toJSON(t, s); got != tc.v7 {
			t.Errorf("v7: %s, want %s", got, tc.v7)
		}
		withVersion(schema.Version6, func() {
			if got := toJSON(t, s); got != tc.v6 {
				t.Errorf("v6: %s, want %s", got, tc.v6)
			}
		})
	}
}

// TestEditionsReadEachOther checks that each version reads the sets that the other version
// wrote, and writes them with its own bytes. This happens while servers are upgraded.
func TestEditionsReadEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	names := []string{"a", "b", "name", "<&>", "\u2028\u2029", "\b\f\n\x01", "é😀", `"\`, "app.kubernetes.io/name"}
	values := []any{"a", "<>", "\u2028", "\b", 1, 1.5, 1e-7, 1e21, true, nil, int64(1) << 53, map[string]any{"<": 1e-9}, []any{"&", 1e-8}}
	pick := func() any { return values[r.IntN(len(values))] }
	different := 0
	for range 3000 {
		s := fieldpath.NewSet()
		for range 1 + r.IntN(6) {
			var path fieldpath.Path
			for range 1 + r.IntN(4) {
				switch r.IntN(4) {
				case 0:
					v := value.NewValueInterface(pick())
					path = append(path, fieldpath.PathElement{Value: &v})
				case 1:
					path = append(path, fieldpath.PathElement{Key: fieldpath.KeyByFields(names[r.IntN(len(names))], pick())})
				case 2:
					i := r.IntN(5)
					path = append(path, fieldpath.PathElement{Index: &i})
				default:
					path = append(path, fieldpath.PathElement{FieldName: &names[r.IntN(len(names))]})
				}
			}
			s.Insert(path)
		}
		by7 := toJSON(t, s)
		var by6 string
		withVersion(schema.Version6, func() {
			by6 = toJSON(t, s)
			if old := read(t, by7); !old.Equals(read(t, by6)) || toJSON(t, old) != by6 {
				t.Errorf("v6 reads %s as %v, and writes %s", by7, old, toJSON(t, old))
			}
		})
		again := read(t, by6)
		if !again.Equals(read(t, by7)) || toJSON(t, again) != by7 {
			t.Errorf("v7 reads %s as %v, and writes %s", by6, again, toJSON(t, again))
		}
		if by6 != by7 {
			different++
		}
	}
	if different < 1000 {
		t.Errorf("only %d sets have different bytes: too little was tested", different)
	}
}

// TestNil tests nil values (v7-nil in DIFFERENCES.md). structured-merge-diff panics, and Dovetail
// returns an error.
func TestNil(t *testing.T) {
	panics := func(f func()) (yes bool) {
		defer func() { yes = recover() != nil }()
		f()
		return
	}
	var theirs uvalue.Value
	var ours value.Value
	if !panics(func() { _, _ = upath.SerializePathElement(upath.PathElement{Value: &theirs}) }) {
		t.Error("structured-merge-diff does not panic")
	}
	if _, err := fieldpath.SerializePathElement(fieldpath.PathElement{Value: &ours}); err == nil {
		t.Error("Dovetail returns no error")
	}
}

// TestMethodsOfFieldList checks which drop-ins have the methods that v7 added to FieldList
// (v7-methods in DIFFERENCES.md). The drop-ins for all versions have the same type FieldList, so
// all of them have the methods.
func TestMethodsOfFieldList(t *testing.T) {
	type methods interface {
		json.MarshalerTo
		json.UnmarshalerFrom
	}
	if _, ok := any(&uvalue.FieldList{}).(methods); !ok {
		t.Error("v7's FieldList does not have these methods")
	}
	if _, ok := any(&uvalue6.FieldList{}).(methods); ok {
		t.Error("v6's FieldList has these methods: the difference is gone")
	}
	if _, ok := any(&value.FieldList{}).(methods); !ok {
		t.Error("Dovetail's FieldList does not have these methods")
	}
}

// TestTextsOfUpstreamDependOnBuffers checks that error messages of structured-merge-diff depend on
// documents that it has read before (v7-buffers in DIFFERENCES.md).
func TestTextsOfUpstreamDependOnBuffers(t *testing.T) {
	doc := `{"f:a":{},"f:bcdefgh\u00zz":{}}`
	seen := map[string]bool{}
	for size := 1; size <= len(doc); size++ {
		err := upath.NewSet().FromJSON(&pieces{doc, size})
		seen[err.Error()] = true
	}
	if len(seen) < 2 {
		t.Errorf("structured-merge-diff always returns the same message: %v", seen)
	}
	for text := range seen {
		if got, want := steadyText(text), steadyText(upath.NewSet().FromJSON(strings.NewReader(doc)).Error()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// pieces is a reader that returns a text in pieces of the given size.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
