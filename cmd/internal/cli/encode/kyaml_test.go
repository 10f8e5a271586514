// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Package manifest must read the KYAML of a value as the same value.
func TestKYAMLIsRead(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"", "a", "y", "no", "true", "null", "~", "12", "0x1f", "1_000", "1e3", "12:30", "2026-01-01", "=", "<<", "a: b", "# x",
		"two\nlines\n", "  leading\nspace", "trailing \n\n\n", "\n", "\ttab\n\ttab", "x\ty\nz", "é\u2028\n", `"quoted" \ back`, "\r\n", "\x00\x1b\x7f",
		"\u0080\u0085\u009f\ufeff\ufffe\uffff", "\U0001F600", "k:{\"port\":80}", "f:a/b", "- a", "{", strings.Repeat("long ", 100)}
	text := func() string { return texts[r.IntN(len(texts))] }
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(9); {
		case depth > 0 && n < 3:
			m := map[string]any{}
			for range r.IntN(6) {
				m[text()] = value(depth - 1)
			}
			return m
		case depth > 0 && n < 5:
			l := []any{}
			for range r.IntN(5) {
				l = append(l, value(depth-1))
			}
			return l
		case n == 5:
			return nil
		case n == 6:
			return r.Int64() - r.Int64()
		case n == 7:
			return []any{0.5, -1.5e-9, 1e300, true, false}[r.IntN(5)]
		}
		return text()
	}
	for range 3000 {
		want := map[string]any{"a": value(3), "b": value(4)}
		var got bytes.Buffer
		if err := KYAML(&got, want); err != nil {
			t.Fatalf("%v: %#v", err, want)
		}
		read, err := manifest.ReadValues("f", got.Bytes())
		if err != nil || len(read) != 1 || !reflect.DeepEqual(read[0], want) {
			t.Fatalf("%v\nread %#v\nwant %#v\nfrom %s", err, read, want, got.String())
		}
	}
}

// KYAML rejects keys that are too long for YAML.
func TestKYAMLLongKey(t *testing.T) {
	for n, want := range map[int]string{
		1000: "",
		2000: "cannot be written as KYAML: the key \"" + strings.Repeat("k", 40) + "\"… has 2000 characters, and YAML allows at most 1024 for a key; use -o json or -o yaml",
	} {
		var out bytes.Buffer
		got := ""
		if err := KYAML(&out, map[string]any{"a": []any{map[string]any{strings.Repeat("k", n): int64(1)}}}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
