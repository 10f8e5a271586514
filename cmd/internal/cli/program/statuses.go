// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"os"
	"strings"
)

// Ending is a command and one of its exit statuses.
type Ending struct {
	Command string
	Status  int
}

// Statuses reads a table of exit statuses in a document. It returns the pairs of command and exit
// status whose cell in the table is not empty.
func Statuses(file string) (map[Ending]bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	_, table, found := strings.Cut(string(text), "| command | exit status 0 | exit status 1 | exit status 2 | exit status 3 | exit status 4 |\n|---|---|---|---|---|---|\n")
	if !found {
		return nil, fmt.Errorf("%s: no table of exit statuses", file)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	all := map[Ending]bool{}
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(row, "|"), "|")
		if len(cells) != 6 {
			return nil, fmt.Errorf("%s: want 6 cells: %s", file, row)
		}
		for status, cell := range cells[1:] {
			if strings.TrimSpace(cell) != "" {
				all[Ending{strings.Trim(cells[0], " `"), status}] = true
			}
		}
	}
	return all, nil
}
