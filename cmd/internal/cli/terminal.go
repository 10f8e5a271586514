// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"strconv"
)

// columns returns how many columns the terminal f has, which COLUMNS may say
// otherwise; 0 if nobody says.
func columns(f *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	width, _ := terminalWidth(f)
	return width
}
