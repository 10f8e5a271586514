// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"fmt"
	"regexp"
)

// These are colors and styles of text. The values are the numbers in the terminal's escape
// sequences.
const (
	Plain   = 0
	Bold    = 1
	Dim     = 2
	Red     = 31
	Green   = 32
	Yellow  = 33
	Blue    = 34
	Magenta = 35
	Cyan    = 36
)

// Paint returns text with the escape sequences for a color.
func Paint(colour int, text string) string {
	if colour == Plain || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}

// label finds labels of messages, such as "error:". A label is at the start of a line, or comes
// after a file name and a line number.
var label = regexp.MustCompile(`(?m)^((?:[^\s:][^:\n]*(?::\d+)+: )?)(error|warning|note|conflict):`)

// labelColours maps each label to its color.
var labelColours = map[string]int{"error": Red, "warning": Yellow, "note": Cyan, "conflict": Red}

// PaintLabels colors the labels of messages, such as "error:".
func PaintLabels(text string) string {
	return label.ReplaceAllStringFunc(text, func(found string) string {
		m := label.FindStringSubmatch(found)
		return m[1] + Paint(labelColours[m[2]], m[2]+":")
	})
}
