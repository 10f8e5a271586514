// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"strings"
	"testing"
)

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
		if got := Flow(tt.v); got != tt.want {
			t.Errorf("%#v: %s, want %s", tt.v, got, tt.want)
		}
	}
	if got := Flow(strings.Repeat("ä", 1000)); len(got) > MaxFlow+len("…") || !strings.HasSuffix(got, "ä…") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestVisible(t *testing.T) {
	if got := Visible("a\tb\x1b[31m\u0085\n"); got != "a\tb\\u001b[31m\\u0085\n" {
		t.Errorf("%q", got)
	}
}
