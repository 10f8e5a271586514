// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func FuzzFieldsV1(f *testing.F) {
	for _, c := range documents {
		f.Add(c.text)
		f.Add(c.text[:len(c.text)-1])
	}
	b, _ := pod(2).ToJSON()
	f.Add(string(b))
	f.Add(`{"f:a":{},"f:b":1,"k:{\"a\":":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		checkBothReaders(t, text)
		s := &Set{}
		if err := s.FromJSON(strings.NewReader(text)); err != nil {
			return
		}
		checkShape(t, text, s)
		out, err := s.ToJSON()
		if err != nil {
			t.Fatalf("%q is read but not written: %v", text, err)
		}
		back := &Set{}
		if err := back.FromJSON(iotest.HalfReader(strings.NewReader(string(out)))); err != nil {
			t.Fatalf("%q is written as %s, which is not read: %v", text, out, err)
		}
		// A byte that is not UTF-8 becomes \ufffd when it is written for the first time.
		if again, _ := back.ToJSON(); string(again) != string(out) && !strings.Contains(string(out), `\ufffd`) {
			t.Fatalf("%s becomes %s", out, again)
		}
	})
}

func FuzzPathElement(f *testing.F) {
	for _, seed := range []string{"f:a", `k:{"a":"b","c":1}`, `k:{ "a":[null]}`, "v:1e5", `v:"\u003c\ud83d"`, "v:{\"a\":{}}",
		"i:5", "i:-0", "x:y", "", "k:null", "v:tru", "v:-+5", "v:9999999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pe, err := DeserializePathElement(text)
		slow, slowErr := replayElement(text)
		if (err == nil) != (slowErr == nil) || !reflect.DeepEqual(pe, slow) {
			t.Fatalf("got %v, %v and %v, %v", pe, err, slow, slowErr)
		}
		if err != nil {
			if pe != (PathElement{}) {
				t.Fatalf("%v with %v", pe, err)
			}
			return
		}
		out, err := SerializePathElement(pe)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DeserializePathElement(out)
		if err != nil || back.Compare(pe) != 0 && !strings.Contains(out, `\ufffd`) {
			t.Fatalf("%q is written as %s and read as %v, %v", text, out, back, err)
		}
		if again, _ := SerializePathElement(back); again != out && !strings.Contains(out, `\ufffd`) {
			t.Fatalf("%s becomes %s", out, again)
		}
	})
}
