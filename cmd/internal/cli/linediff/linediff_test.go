// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package linediff

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

func randomLines(rnd *rand.Rand, count, kinds int) []string {
	lines := make([]string, count)
	for i := range lines {
		lines[i] = fmt.Sprint("line: ", rnd.Intn(kinds))
	}
	return lines
}

func edited(rnd *rand.Rand, lines []string, every int) []string {
	var out []string
	for _, l := range lines {
		switch rnd.Intn(3 * every) {
		case 0:
			continue
		case 1:
			l += "x"
		case 2:
			out = append(out, fmt.Sprint("new: ", rnd.Intn(10)))
		}
		out = append(out, l)
	}
	return out
}

// sides returns the two texts of a difference.
func sides(lines []Line) (a, b []string) {
	for _, l := range lines {
		if l.Sign != '+' {
			a = append(a, l.Text)
		}
		if l.Sign != '-' {
			b = append(b, l.Text)
		}
	}
	return a, b
}

func TestLineDiffIsOfItsTexts(t *testing.T) {
	for seed := range int64(2000) {
		rnd := rand.New(rand.NewSource(seed))
		a := randomLines(rnd, rnd.Intn(40), 1+rnd.Intn(60))
		b := edited(rnd, a, 1+rnd.Intn(10))
		x, y := sides(Of(a, b))
		if !slices.Equal(x, a) || !slices.Equal(y, b) {
			t.Fatalf("seed %d: %v of %q and %q", seed, Of(a, b), a, b)
		}
	}
}

// If a long text changes only at both ends, the difference has only these changes.
func TestLineDiffOfALongText(t *testing.T) {
	a := make([]string, 50_000)
	for i := range a {
		a[i] = fmt.Sprint("line ", i)
	}
	b := slices.Clone(a)
	b[0], b[25_000], b[len(b)-1] = "first", "middle", "last"
	b = slices.Delete(b, 30_000, 30_010)
	changes := 0
	lines := Of(a, b)
	for _, l := range lines {
		if l.Sign != ' ' {
			changes++
		}
	}
	x, y := sides(lines)
	if changes != 16 || !slices.Equal(x, a) || !slices.Equal(y, b) {
		t.Errorf("%d lines differ", changes)
	}
}

// patched applies hunks by their line numbers only, as the program patch does.
func patched(t *testing.T, a []string, hunks []Hunk) []string {
	t.Helper()
	var out []string
	at := 0
	for _, h := range hunks {
		from := h.OldFrom - 1
		if h.Olds == 0 {
			from = h.OldFrom
		}
		if from < at {
			t.Fatalf("a hunk at %d after one up to %d", from, at)
		}
		out = append(out, a[at:from]...)
		to := h.NewFrom - 1
		if h.News == 0 {
			to = h.NewFrom
		}
		if to != len(out) {
			t.Fatalf("new line %d, want %d", to, len(out))
		}
		olds, news := sides(h.Lines)
		if len(olds) != h.Olds || len(news) != h.News || !slices.Equal(olds, a[from:from+h.Olds]) {
			t.Fatalf("hunk %+v does not fit", h)
		}
		if !slices.ContainsFunc(h.Lines[:min(4, len(h.Lines))], func(l Line) bool { return l.Sign != ' ' }) {
			t.Fatalf("more than three shared lines begin %+v", h)
		}
		out = append(out, news...)
		at = from + h.Olds
	}
	return append(out, a[at:]...)
}

func TestHunks(t *testing.T) {
	several := 0
	for seed := range int64(5000) {
		rnd := rand.New(rand.NewSource(seed))
		a := randomLines(rnd, rnd.Intn(60), 1+rnd.Intn(60))
		b := edited(rnd, a, 1+rnd.Intn(20))
		if rnd.Intn(20) == 0 {
			a = nil
		}
		hunks := Hunks(a, b)
		if got := patched(t, a, hunks); !slices.Equal(got, b) {
			t.Fatalf("seed %d: got %q, want %q", seed, got, b)
		}
		if len(hunks) > 1 {
			several++
		}
	}
	if several < 500 {
		t.Errorf("only %d differences of several hunks", several)
	}
}

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
		for _, l := range Of(strings.Fields(tt.a), strings.Fields(tt.b)) {
			out = append(out, string(l.Sign)+l.Text)
		}
		if got := strings.Join(out, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	// A text longer than maxLines is shown as removed and added as a whole.
	a, b := make([]string, maxLines+1), make([]string, maxLines+1)
	for i := range a {
		a[i], b[i] = "a", "b"
	}
	if got := Of(a, b); len(got) != len(a)+len(b) || got[0].Sign != '-' || got[len(got)-1].Sign != '+' {
		t.Errorf("%d lines", len(got))
	}
}
