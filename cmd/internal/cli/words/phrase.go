// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"fmt"
	"slices"
	"strings"
)

// DidYouMean asks whether what was meant, empty if that is not known.
func DidYouMean(what string) string {
	if what == "" {
		return ""
	}
	return "; did you mean " + what + "?"
}

// ShortList joins names, not too many of them.
func ShortList(names []string) string {
	const most = 8
	names = slices.Clone(names)
	slices.Sort(names)
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// And joins words as a sentence lists them: a, b and c.
func And(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// Count is a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Wrap breaks text at spaces.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// LineWidth is how many columns lines have, as far as paths and values let them.
const LineWidth = 80

// InShell quotes an argument where a shell would not take it as it is.
func InShell(arg string) string {
	if strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@%+") == "" && arg != "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// TrimColon returns a message without a colon at its end, which upstream writes in front of
// what was found even if that is nothing.
func TrimColon(message string) string { return strings.TrimSuffix(message, ":") }
