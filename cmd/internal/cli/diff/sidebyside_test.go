// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// No row is too wide. A row that is cut is valid text, and shows the first difference.
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
		if words.TextWidth(line) > width || !utf8.ValidString(line) || strings.ContainsAny(line, "\n\x1b\t") {
			t.Fatalf("seed %d: %d columns of %d: %q", seed, words.TextWidth(line), width, line)
		}
		if a, b := makePrintable(r.left), makePrintable(r.right); r.sign == '|' && a != b {
			a, b = fromDifference(a, b, min(left, right))
			if words.Cut(a, left) == words.Cut(b, right) {
				t.Fatalf("seed %d: %q and %q look the same: %q", seed, r.left, r.right, line)
			}
		}
	}
}
