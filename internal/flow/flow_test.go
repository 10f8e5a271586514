// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "testing"

func TestUnquoted(t *testing.T) {
	for text, want := range map[string]any{
		"y": true, "Off": false, "null": nil, "~": nil, "22:30": "22:30", "0644": int64(420), "a b": "a b", "1e2": float64(100), "2001-01-01": "2001-01-01",
	} {
		if got, ok := Unquoted(text); !ok || got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, text := range []string{"[a]", "a: b", "{", "@"} {
		if got, ok := Unquoted(text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		s    string
		most int
		want string
	}{{"ab", 2, "ab"}, {"abc", 2, "ab…"}, {"aä", 2, "a…"}, {"ä", 1, "…"}, {"\x80\x80", 1, "…"}} {
		if got := Cut(tt.s, tt.most); got != tt.want {
			t.Errorf("%s to %d: %s, want %s", tt.s, tt.most, got, tt.want)
		}
	}
}

// TestShort checks that a shortened text is the beginning of the whole text, at any limit.
func TestShort(t *testing.T) {
	v := map[string]any{"a": []any{int64(1), "b", []any{}, map[string]any{}}, "c": map[string]any{"d": nil, "e": true}, "f": []any{"g"}}
	whole := Of(v, 1000)
	if want := `{a: [1, b, [], {}], c: {d: null, e: true}, f: [g]}`; whole != want {
		t.Errorf("got %s, want %s", whole, want)
	}
	for _, v := range []any{v, []any{int64(1), []any{"b", "c"}, map[string]any{"d": "e"}}} {
		whole := Of(v, 1000)
		for most := range len(whole) + 2 {
			if got, want := Short(v, most), Cut(whole, most); got != want {
				t.Errorf("%d bytes: %s, want %s", most, got, want)
			}
		}
	}
}
