// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// DifferencesFile is the list of intended differences, in the root directory.
const DifferencesFile = "DIFFERENCES.md"

// Listed returns the tests of a suite that DIFFERENCES.md allows to differ:
// the second column of every table there that starts
//
//	| suite | test | ...
//
// in rows whose first column is the suite's name. Backquotes do not count.
func Listed(root, suite string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, DifferencesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var tests []string
	inTable := false
	for i, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "|") {
			inTable = false
			continue
		}
		cells := strings.Split(strings.ReplaceAll(line, "`", ""), "|")[1:]
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		if len(cells) < 2 {
			return nil, fmt.Errorf("%s:%d: a row of one column", DifferencesFile, i+1)
		}
		switch {
		case strings.EqualFold(cells[0], "suite") && strings.EqualFold(cells[1], "test"):
			inTable = true
		case inTable && cells[0] == suite:
			tests = append(tests, cells[1])
		}
	}
	return tests, nil
}
