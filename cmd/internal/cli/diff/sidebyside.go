// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/linediff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// row is one line of the side-by-side view.
type row struct {
	left, right string
	sign        byte // ' ' equal, '|' changed, '<' only in the left column, '>' only in the right column
}

// rowsOf arranges the lines of a hunk in two columns. It puts each removed line next to the added
// line that replaces it.
func rowsOf(h *linediff.Hunk) []row {
	var rows []row
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Sign == ' ' {
			rows = append(rows, row{h.Lines[i].Text, h.Lines[i].Text, ' '})
			i++
			continue
		}
		var olds, news []string
		for ; i < len(h.Lines) && h.Lines[i].Sign != ' '; i++ {
			if h.Lines[i].Sign == '-' {
				olds = append(olds, h.Lines[i].Text)
			} else {
				news = append(news, h.Lines[i].Text)
			}
		}
		for n := range max(len(olds), len(news)) {
			switch {
			case n >= len(olds):
				rows = append(rows, row{"", news[n], '>'})
			case n >= len(news):
				rows = append(rows, row{olds[n], "", '<'})
			default:
				rows = append(rows, row{olds[n], news[n], '|'})
			}
		}
	}
	return rows
}

// sideBySide writes the YAML before a change on the left and the YAML after it on the right.
// width is the total number of columns.
func (p *printer) sideBySide(o *prediction.Outcome, d *difference, hunks []linediff.Hunk, width int) {
	title := words.OneLine(o.Object.Identity().String())
	if d.isNew {
		title += " (new)"
	}
	p.line(words.Bold, "%s", title)
	p.notes("  ", o, d)
	left := (width - 3) / 2
	right := width - 3 - left
	for i := range hunks {
		if i > 0 || hunks[i].OldFrom > 1 {
			p.line(words.Cyan, "%s", words.Pad("line "+span(hunks[i].OldFrom, 1), left)+"   "+"line "+span(hunks[i].NewFrom, 1))
		}
		for _, r := range rowsOf(&hunks[i]) {
			p.row(r, left, right)
		}
	}
}

func (p *printer) row(r row, left, right int) {
	a, b := makePrintable(r.left), makePrintable(r.right)
	if r.sign == '|' {
		a, b = fromDifference(a, b, min(left, right))
	}
	a, b = words.Pad(words.Cut(a, left), left), words.Cut(b, right)
	middle := " " + string(r.sign) + " "
	if r.sign != ' ' {
		a, b = p.paint(words.Red, a), p.paint(words.Green, b)
	}
	fmt.Fprintln(p.w, strings.TrimRight(a+middle+b, " "))
}

// fromDifference shortens two lines if they do not fit and differ only near the end. It
// removes most of their common prefix, so that the first difference is within the given number
// of columns.
func fromDifference(a, b string, columns int) (string, string) {
	shared := 0 // length of the common prefix in bytes
	for i, c := range a {
		next := i + len(string(c))
		if !strings.HasPrefix(b, a[:next]) {
			break
		}
		shared = next
	}
	if max(words.TextWidth(a), words.TextWidth(b)) <= columns || words.TextWidth(a[:shared]) < columns*3/4 {
		return a, b
	}
	from := 0
	for i, c := range a[:shared] {
		if words.RuneWidth(c) > 0 {
			from = i
			if words.TextWidth(a[i:shared]) <= columns/2 {
				break
			}
		}
	}
	return "…" + a[from:], "…" + b[from:]
}

// makePrintable replaces each tab with spaces, because the width of a tab depends on its
// position. It also makes control characters visible.
func makePrintable(s string) string { return words.Visible(strings.ReplaceAll(s, "\t", "    ")) }
