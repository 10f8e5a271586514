// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"strconv"
)

// columns returns the width of the terminal f in columns, or 0 if it is unknown. The environment
// variable COLUMNS overrides the width.
func columns(f *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	width, _ := terminalWidth(f)
	return width
}
