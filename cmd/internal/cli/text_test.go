// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"
	"testing"
)

func TestLineDiff(t *testing.T) {
	for _, tt := range []struct{ name, a, b, want string }{
		{"same", "a b", "a b", " a  b"},
		{"changed in the middle", "a b c", "a x c", " a -b +x  c"},
		{"put in", "a c", "a b c", " a +b  c"},
		{"taken away", "a b c", "a c", " a -b  c"},
		{"moved", "a b c", "b c a", "-a  b  c +a"},
		{"nothing before", "", "a", "+a"},
		{"nothing after", "a", "", "-a"},
	} {
		var out []string
		for _, l := range lineDiff(strings.Fields(tt.a), strings.Fields(tt.b)) {
			out = append(out, string(l.sign)+l.text)
		}
		if got := strings.Join(out, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	// Too long for the table: one after the other.
	a, b := make([]string, maxLines+1), make([]string, maxLines+1)
	for i := range a {
		a[i], b[i] = "a", "b"
	}
	if got := lineDiff(a, b); len(got) != len(a)+len(b) || got[0].sign != '-' || got[len(got)-1].sign != '+' {
		t.Errorf("%d lines", len(got))
	}
}

func TestFlow(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{nil, "null"},
		{"a", "a"},
		{"true", `"true"`},
		{"80", `"80"`},
		{"", `""`},
		{"a: b", "'a: b'"},
		{"two\nlines", `"two\nlines"`},
		{"[x]", `"[x]"`},
		{int64(9007199254740993), "9007199254740993"},
		{1.5, "1.5"},
		{true, "true"},
		{map[string]any{"b": []any{int64(1), "x"}, "a": map[string]any{}}, "{a: {}, b: [1, x]}"},
		{[]any{}, "[]"},
	} {
		if got := flow(tt.v); got != tt.want {
			t.Errorf("%#v: %s, want %s", tt.v, got, tt.want)
		}
	}
	if got := flow(strings.Repeat("ä", 1000)); len(got) > maxFlow+len("…") || !strings.HasSuffix(got, "ä…") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestVisible(t *testing.T) {
	if got := visible("a\tb\x1b[31m\u0085\n"); got != "a\tb\\u001b[31m\\u0085\n" {
		t.Errorf("%q", got)
	}
}
