// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"fmt"
	"slices"
	"strings"
)

// DidYouMean returns a question that suggests the given text to the user. It returns "" if the
// text is empty.
func DidYouMean(what string) string {
	if what == "" {
		return ""
	}
	return "; did you mean " + what + "?"
}

// ShortList sorts and joins names. If there are more than eight names, it lists only the first
// names, and counts the others.
func ShortList(names []string) string {
	const most = 8
	names = slices.Clone(names)
	slices.Sort(names)
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// And joins words as in a sentence, such as "a, b and c".
func And(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// Count returns a number and its noun, such as "1 object" or "2 objects".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Wrap breaks text at spaces into lines of at most width bytes. A longer word is on a line of its
// own.
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

// LineWidth is the maximum number of columns in a line of output. Only a long path or value may
// exceed it.
const LineWidth = 80

// InShell quotes an argument for a shell, if necessary.
func InShell(arg string) string {
	if strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@%+") == "" && arg != "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// TrimColon removes a colon at the end of a message of Kubernetes. Some of these messages end with
// a colon although nothing follows.
func TrimColon(message string) string { return strings.TrimSuffix(message, ":") }
