// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package linediff

import (
	"slices"
	"sort"
)

// Line is one line of a difference. It occurs only in the old text, only in the new text, or
// in both texts.
type Line struct {
	Sign byte // '-', '+' or ' '
	Text string
}

// maxLines is the maximum number of lines for which Of finds the smallest difference. For
// longer texts, Of matches only lines that occur exactly once in each text. If there are no
// such lines, it removes all old lines and adds all new lines.
const maxLines = 2000

// Of returns the lines of the difference between two texts. It removes and adds as few lines as
// possible, unless the texts are long.
func Of(a, b []string) []Line {
	var head, tail []Line
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, Line{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, Line{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	out := append(head, middle(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		out = append(out, tail[i])
	}
	return out
}

func middle(a, b []string) []Line {
	if len(a) > maxLines || len(b) > maxLines {
		if parts := anchors(a, b); len(parts) > 0 {
			return between(a, b, parts)
		}
	}
	var out []Line
	i, j := 0, 0
	if len(a) <= maxLines && len(b) <= maxLines {
		// common[i][j] is the number of lines that a[i:] and b[j:] have in common.
		common := make([][]int, len(a)+1)
		for i := range common {
			common[i] = make([]int, len(b)+1)
		}
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					common[i][j] = common[i+1][j+1] + 1
				} else {
					common[i][j] = max(common[i+1][j], common[i][j+1])
				}
			}
		}
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				out = append(out, Line{' ', a[i]})
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				out = append(out, Line{'-', a[i]})
				i++
			default:
				out = append(out, Line{'+', b[j]})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		out = append(out, Line{'-', a[i]})
	}
	for ; j < len(b); j++ {
		out = append(out, Line{'+', b[j]})
	}
	return out
}

// anchor is a line that occurs exactly once in each of two texts. Its fields are the positions of
// the line in the first and in the second text.
type anchor struct{ a, b int }

// anchors returns lines that occur exactly once in each text. It chooses the longest sequence
// of such lines that has the same order in both texts.
func anchors(a, b []string) []anchor {
	const more = -1
	at := make(map[string]anchor, len(a)) // position of each line in both texts, or -1 for a repeated line
	for i, line := range a {
		if _, twice := at[line]; twice {
			at[line] = anchor{more, more}
		} else {
			at[line] = anchor{i, len(b)}
		}
	}
	for j, line := range b {
		if p, ok := at[line]; ok && p.b == len(b) {
			at[line] = anchor{p.a, j}
		} else if ok {
			at[line] = anchor{more, more}
		}
	}
	var both []anchor
	for i, line := range a {
		if p := at[line]; p.a == i && p.b < len(b) {
			both = append(both, p)
		}
	}
	return rising(both)
}

// rising returns the longest sequence of anchors that has the same order in both texts. The
// argument is sorted by position in the first text.
func rising(all []anchor) []anchor {
	// tops[n] stands for the best rising sequence of n+1 anchors, which is the one whose last
	// anchor has the smallest b. The value is the index of this last anchor.
	var tops []int
	before := make([]int, len(all))
	for i, p := range all {
		n := sort.Search(len(tops), func(n int) bool { return all[tops[n]].b > p.b })
		before[i] = -1
		if n > 0 {
			before[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	var run []anchor
	if len(tops) > 0 {
		for i := tops[len(tops)-1]; i >= 0; i = before[i] {
			run = append(run, all[i])
		}
	}
	slices.Reverse(run)
	return run
}

// between compares the sections of two texts that lie between the given anchors, and also the
// sections before the first and after the last anchor.
func between(a, b []string, parts []anchor) []Line {
	var out []Line
	i, j := 0, 0
	for _, p := range parts {
		out = append(out, Of(a[i:p.a], b[j:p.b])...)
		out = append(out, Line{' ', a[p.a]})
		i, j = p.a+1, p.b+1
	}
	return append(out, Of(a[i:], b[j:])...)
}

// Hunk is a section in which two texts differ, with common lines around it.
type Hunk struct {
	// OldFrom and NewFrom are the line numbers at which the hunk starts in the old and in the new
	// text. The first line has number 1. If the hunk has no lines of a text, the number is that of
	// the line before the hunk.
	OldFrom, NewFrom int
	Olds, News       int // number of lines of each text in the hunk
	Lines            []Line
}

// context is the number of common lines around a difference.
const context = 3

// Hunks returns the hunks in which two texts differ.
func Hunks(a, b []string) []Hunk {
	lines := Of(a, b)
	var hunks []Hunk
	oldLine, newLine := 0, 0 // number of lines so far
	end := 0                 // end of the previous hunk
	for i := 0; i < len(lines); {
		if lines[i].Sign == ' ' {
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		before := min(context, i-end)
		h := Hunk{OldFrom: oldLine - before + 1, NewFrom: newLine - before + 1}
		end = endOfHunk(lines, i)
		for _, l := range lines[i-before : end] {
			h.Lines = append(h.Lines, l)
			if l.Sign != '+' {
				h.Olds++
			}
			if l.Sign != '-' {
				h.News++
			}
		}
		oldLine, newLine = h.OldFrom-1+h.Olds, h.NewFrom-1+h.News
		if h.Olds == 0 {
			h.OldFrom--
		}
		if h.News == 0 {
			h.NewFrom--
		}
		hunks = append(hunks, h)
		i = end
	}
	return hunks
}

// endOfHunk returns the end of the hunk with the difference at index i. A hunk can contain several
// differences, if there are only few common lines between them.
func endOfHunk(lines []Line, i int) int {
	end := i
	for at := i; at < len(lines) && at-end <= 2*context; at++ {
		if lines[at].Sign != ' ' {
			end = at + 1
		}
	}
	return min(end+context, len(lines))
}
