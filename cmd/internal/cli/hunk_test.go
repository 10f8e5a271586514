// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
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

// sides are the texts that a difference is of.
func sides(lines []diffLine) (a, b []string) {
	for _, l := range lines {
		if l.sign != '+' {
			a = append(a, l.text)
		}
		if l.sign != '-' {
			b = append(b, l.text)
		}
	}
	return a, b
}

func TestLineDiffIsOfItsTexts(t *testing.T) {
	for seed := range int64(2000) {
		rnd := rand.New(rand.NewSource(seed))
		a := randomLines(rnd, rnd.Intn(40), 1+rnd.Intn(60))
		b := edited(rnd, a, 1+rnd.Intn(10))
		x, y := sides(lineDiff(a, b))
		if !slices.Equal(x, a) || !slices.Equal(y, b) {
			t.Fatalf("seed %d: %v of %q and %q", seed, lineDiff(a, b), a, b)
		}
	}
}

// A long text with a change at either end shows these, not all of it.
func TestLineDiffOfALongText(t *testing.T) {
	a := make([]string, 50_000)
	for i := range a {
		a[i] = fmt.Sprint("line ", i)
	}
	b := slices.Clone(a)
	b[0], b[25_000], b[len(b)-1] = "first", "middle", "last"
	b = slices.Delete(b, 30_000, 30_010)
	changes := 0
	lines := lineDiff(a, b)
	for _, l := range lines {
		if l.sign != ' ' {
			changes++
		}
	}
	x, y := sides(lines)
	if changes != 16 || !slices.Equal(x, a) || !slices.Equal(y, b) {
		t.Errorf("%d lines differ", changes)
	}
}

// patched reads hunks as patch does: by their numbers alone.
func patched(t *testing.T, a []string, hunks []hunk) []string {
	t.Helper()
	var out []string
	at := 0
	for _, h := range hunks {
		from := h.oldFrom - 1
		if h.olds == 0 {
			from = h.oldFrom
		}
		if from < at {
			t.Fatalf("a hunk at %d after one up to %d", from, at)
		}
		out = append(out, a[at:from]...)
		to := h.newFrom - 1
		if h.news == 0 {
			to = h.newFrom
		}
		if to != len(out) {
			t.Fatalf("new line %d, want %d", to, len(out))
		}
		olds, news := sides(h.lines)
		if len(olds) != h.olds || len(news) != h.news || !slices.Equal(olds, a[from:from+h.olds]) {
			t.Fatalf("hunk %+v does not fit", h)
		}
		if !slices.ContainsFunc(h.lines[:min(4, len(h.lines))], func(l diffLine) bool { return l.sign != ' ' }) {
			t.Fatalf("more than three shared lines begin %+v", h)
		}
		out = append(out, news...)
		at = from + h.olds
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
		hunks := hunksOf(a, b)
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

// The program that most people read patches with reads ours.
func TestGitAppliesHunks(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	for seed := range int64(40) {
		rnd := rand.New(rand.NewSource(seed))
		a := randomLines(rnd, 1+rnd.Intn(60), 40)
		b := append(edited(rnd, a, 5), "end")
		text := func(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
		file := filepath.Join(dir, "v1.ConfigMap.default.x")
		if err := os.WriteFile(file, text(a), 0o600); err != nil {
			t.Fatal(err)
		}
		var patch bytes.Buffer
		p := &printer{w: &patch}
		fmt.Fprint(&patch, "# v1 ConfigMap default/x\n--- a/v1.ConfigMap.default.x\n+++ b/v1.ConfigMap.default.x\n")
		p.hunks(hunksOf(a, b))
		c := exec.Command(git, "apply", "-")
		c.Dir, c.Stdin = dir, &patch
		c.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_DIR="+filepath.Join(dir, "none"))
		sent := patch.String()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %v: %s\n%s", seed, err, out, sent)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, text(b)) {
			t.Fatalf("seed %d: %v: got %q, want %q", seed, err, got, text(b))
		}
	}
}

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
		if got := textWidth(s); got != want {
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
		if got := cutTo(c.s, c.columns); got != c.want {
			t.Errorf("%q to %d: got %q, want %q", c.s, c.columns, got, c.want)
		}
	}
}

// No line is wider than it may be, what is cut is text still, and a difference that
// stands far to the right is there to be seen.
func TestSideBySideFits(t *testing.T) {
	parts := []string{"a", "日本", "e\u0301", "🚀", "\t", " ", "x: ", "\x1b[31m", "ﾊ"}
	for seed := range int64(3000) {
		rnd := rand.New(rand.NewSource(seed))
		text := func() string {
			var b strings.Builder
			for range rnd.Intn(60) {
				b.WriteString(parts[rnd.Intn(len(parts))])
			}
			return b.String()
		}
		shared := text()
		r := row{shared + text(), shared + text(), []byte(" |<>")[rnd.Intn(4)]}
		if r.sign == ' ' {
			r.right = r.left
		}
		width := minWidth + rnd.Intn(80)
		left := (width - 3) / 2
		right := width - 3 - left
		var out strings.Builder
		p := &printer{w: &out}
		p.row(r, left, right)
		line := strings.TrimSuffix(out.String(), "\n")
		if textWidth(line) > width || !utf8.ValidString(line) || strings.ContainsAny(line, "\n\x1b\t") {
			t.Fatalf("seed %d: %d columns of %d: %q", seed, textWidth(line), width, line)
		}
		if a, b := printable(r.left), printable(r.right); r.sign == '|' && a != b {
			a, b = fromDifference(a, b, min(left, right))
			if cutTo(a, left) == cutTo(b, right) {
				t.Fatalf("seed %d: %q and %q look the same: %q", seed, r.left, r.right, line)
			}
		}
	}
}
