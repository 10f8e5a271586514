// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoniter

import (
	"encoding/json"
	"math/rand"
	"testing"
	"unicode/utf8"
)

func TestSafeLength(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 100_000 {
		b := make([]byte, r.Intn(30))
		for i := range b {
			b[i] = byte(r.Intn(256))
			if r.Intn(8) > 0 {
				b[i] |= 0x80
			}
			if r.Intn(20) == 0 {
				b[i] = "\"\\ !\x1f#]["[r.Intn(8)]
			}
		}
		want := 0
		for want < len(b) && b[want] >= ' ' && b[want] != '"' && b[want] != '\\' {
			want++
		}
		if got := SafeLength(b); got != want {
			t.Fatalf("%q: got %d, want %d", b, got, want)
		}
	}
}

// TestStandardIsEncodingJSON checks that AppendQuoted with Standard and encoding/json write
// the same strings.
func TestStandardIsEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 100_000 {
		var text []byte
		for range r.Intn(10) {
			if r.Intn(3) == 0 {
				text = append(text, byte(r.Intn(256)))
			} else {
				text = utf8.AppendRune(text, []rune("a<&>\"\\\b\f\n\r\t\x00\x7fä€\u2027\u2028\u2029\u202a\ufffd😀")[r.Intn(21)])
			}
		}
		want, err := json.Marshal(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendQuoted(nil, string(text), Standard); string(got) != string(want) {
			t.Fatalf("%q: got %s, want %s", text, got, want)
		}
	}
}
