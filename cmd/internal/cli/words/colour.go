// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import "fmt"

// The colours of a text, as numbers of the terminal.
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

// Paint gives a text a colour.
func Paint(colour int, text string) string {
	if colour == Plain || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}
