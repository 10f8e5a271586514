// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

// hunk is a part of two texts where they differ, with lines that they share around.
type hunk struct {
	// oldFrom and newFrom are the numbers of the first lines, from 1; of a text that
	// has no line in the hunk, that of the line before.
	oldFrom, newFrom int
	olds, news       int // how many lines each has
	lines            []diffLine
}

// context is how many shared lines surround a difference.
const context = 3

// hunksOf returns where two texts differ.
func hunksOf(a, b []string) []hunk {
	lines := lineDiff(a, b)
	var hunks []hunk
	oldLine, newLine := 0, 0 // how many lines are passed
	end := 0                 // of the last hunk
	for i := 0; i < len(lines); {
		if lines[i].sign == ' ' {
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		before := min(context, i-end)
		h := hunk{oldFrom: oldLine - before + 1, newFrom: newLine - before + 1}
		end = endOfHunk(lines, i)
		for _, l := range lines[i-before : end] {
			h.lines = append(h.lines, l)
			if l.sign != '+' {
				h.olds++
			}
			if l.sign != '-' {
				h.news++
			}
		}
		oldLine, newLine = h.oldFrom-1+h.olds, h.newFrom-1+h.news
		if h.olds == 0 {
			h.oldFrom--
		}
		if h.news == 0 {
			h.newFrom--
		}
		hunks = append(hunks, h)
		i = end
	}
	return hunks
}

// endOfHunk returns where the hunk ends that has a difference at i: behind the
// context of the last difference before which there is not more than shared context.
func endOfHunk(lines []diffLine, i int) int {
	end := i
	for at := i; at < len(lines) && at-end <= 2*context; at++ {
		if lines[at].sign != ' ' {
			end = at + 1
		}
	}
	return min(end+context, len(lines))
}
