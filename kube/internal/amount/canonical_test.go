// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package amount

import "testing"

// test/builtin compares many more quantities with Kubernetes' own code.
func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{nil, "0"}, {"0.0", "0"}, {"-0", "0"}, {int64(2), "2"}, {3, "3"}, {0.5, "500m"}, {1e21, "1e+21"},
		{"1000m", "1"}, {"1500m", "1500m"}, {"0.1", "100m"}, {"1024Ki", "1Mi"}, {"1.5Gi", "1536Mi"}, {"0.5Ki", "512"}, {"0.0001Ki", "102400u"},
		{"1000k", "1M"}, {"12e-4", "1200e-6"}, {"1e3", "1e3"}, {"1000e3", "1e6"}, {" 1 ", "1"}, {"0.1n", "1n"}, {"-0.1n", "-1n"},
		{"100Ei", "9223372036854775807"}, {"-100Ei", "-9223372036854775807"}, {"1000E", "1"},
		// Servers keep the following texts as they are.
		{"1.500", "1.500"}, {"+5", "+5"}, {"010", "010"}, {"1e0", "1e0"}, {"1028Ki", "1028Ki"},
	} {
		if got, ok := Canonical(c.in); !ok || got != c.want {
			t.Errorf("%v: got %s, want %s", c.in, got, c.want)
		}
	}
	for _, in := range []any{"", "x", "1x", "1Qi", "--1", ".", true, []any{}} {
		if got, ok := Canonical(in); ok {
			t.Errorf("%v is read as %s", in, got)
		}
	}
}

// The canonical text must denote the same number as the original text, except for
// rounding. The canonical form of a canonical text must be the same text.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"1000m", "1.500", "100Ei", "12e-4", "0.1n", "-010.5Ki", "1e+3", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, ok := Canonical(s)
		if !ok {
			return
		}
		again, ok := Canonical(text)
		if !ok || again != text {
			t.Errorf("%q is %q, and then %q", s, text, again)
		}
	})
}
