// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import "testing"

func TestTextWidth(t *testing.T) {
	for s, want := range map[string]int{
		"":          0,
		"abc":       3,
		"größe":     5,
		"gro\u0308": 3,
		"日本語":       6,
		"ｶﾅ":        2,
		"ＡＢ":        4,
		"한글":        4,
		"🚀":         2,
		"e\u200d":   1,
		"…":         1,
	} {
		if got := TextWidth(s); got != want {
			t.Errorf("%q: got %d, want %d", s, got, want)
		}
	}
}

func TestCutTo(t *testing.T) {
	for _, c := range []struct {
		s       string
		columns int
		want    string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"日本", 1, "…"},
	} {
		if got := Cut(c.s, c.columns); got != c.want {
			t.Errorf("%q to %d: got %q, want %q", c.s, c.columns, got, c.want)
		}
	}
}
