// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// fold breaks a line into lines of at most LineWidth columns. All lines after the first begin with
// indent.
func fold(line, indent string) string {
	var lines []string
	for len(line) > words.LineWidth {
		at := strings.LastIndexByte(line[:words.LineWidth+1], ' ')
		if at <= len(indent) {
			break // the word is longer than a line
		}
		lines = append(lines, strings.TrimRight(line[:at], " "))
		line = indent + strings.TrimLeft(line[at:], " ")
	}
	return strings.Join(append(lines, line), "\n")
}

// foldText folds the paragraphs of a text. It treats indented lines as a table, and changes them
// only if they are too wide.
func foldText(text string) string {
	var out, lines []string
	flush := func() {
		if len(lines) == 0 {
			return
		}
		if strings.HasPrefix(lines[0], " ") {
			out = append(out, strings.Join(foldTable(lines), "\n"))
		} else {
			out = append(out, fold(strings.Join(lines, " "), ""))
		}
		lines = nil
	}
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == "":
			flush()
			out = append(out, "")
			continue
		case len(lines) > 0 && strings.HasPrefix(line, " ") != strings.HasPrefix(lines[0], " "):
			flush()
		}
		lines = append(lines, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// foldTable narrows a table to LineWidth columns. It removes space between the columns if this is
// enough. Otherwise, it keeps the space and breaks the text of the last column.
func foldTable(lines []string) []string {
	narrow := squeeze(lines)
	if !slices.ContainsFunc(narrow, func(l string) bool { return len(l) > words.LineWidth }) {
		return narrow
	}
	lines = slices.Clone(lines)
	for i, l := range lines {
		at := strings.LastIndex(strings.TrimRight(l, " "), "  ") + 2
		lines[i] = fold(l, strings.Repeat(" ", at))
	}
	return lines
}

// squeeze makes a table narrower until all lines fit. It removes columns of characters that are
// blank in every line, but keeps at least one blank between two words.
func squeeze(lines []string) []string {
	lines = slices.Clone(lines)
	widest := func() (n int) {
		for _, l := range lines {
			n = max(n, len(l))
		}
		return n
	}
	blank := func(at int) bool {
		return !slices.ContainsFunc(lines, func(l string) bool { return at < len(l) && l[at] != ' ' })
	}
	for at := widest() - 2; at > 1 && widest() > words.LineWidth; at-- {
		for widest() > words.LineWidth && blank(at) && blank(at+1) {
			for i, l := range lines {
				if at < len(l) {
					lines[i] = l[:at] + l[at+1:]
				}
			}
		}
	}
	return lines
}

// foldUsage breaks a usage line before flags or optional arguments.
func foldUsage(line string) string { return foldAt(line, options, "", "      ") }

// foldExamples folds examples. It breaks a comment at any space, and a command only where a
// shell allows a line break.
func foldExamples(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[i] = fold(line, "  # ")
		} else {
			lines[i] = foldCommand(line)
		}
	}
	return strings.Join(lines, "\n")
}

var (
	pipes   = regexp.MustCompile(` \| `)
	options = regexp.MustCompile(` (\[|-|\{)`)
	flags   = regexp.MustCompile(` (-[-a-z]|> )`)
)

// foldCommand breaks a command after a pipe or, if there is none, before a flag.
func foldCommand(line string) string {
	if at := pipes.FindStringIndex(line); len(line) > words.LineWidth && at != nil && at[1] <= words.LineWidth {
		return line[:at[1]-1] + "\n" + foldCommand("    "+line[at[1]:])
	}
	return foldAt(line, flags, " \\", "      ")
}

// foldAt breaks a long line into several lines. It breaks the line before a match of a regular
// expression, as far to the right as possible. It appends end to each line except the last one, and
// starts each further line with indent.
func foldAt(line string, at *regexp.Regexp, end, indent string) string {
	if len(line) <= words.LineWidth {
		return line
	}
	best := 0
	for _, m := range at.FindAllStringIndex(line, -1) {
		if m[0]+len(end) <= words.LineWidth && strings.TrimSpace(line[:m[0]]) != "" {
			best = m[0]
		}
	}
	if best <= len(indent) {
		return line
	}
	return line[:best] + end + "\n" + foldAt(indent+strings.TrimLeft(line[best:], " "), at, end, indent)
}
