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

// DifferencesFile lists the intended differences. It is in the root folder of the repository.
const DifferencesFile = "DIFFERENCES.md"

// Listed returns the tests of a suite that DIFFERENCES.md lists as different. It reads the
// tables that begin with
//
//	| suite | test | ...
//
// It uses the rows that have the name of the suite in the first column. The second column has
// the name of the test, in backquotes.
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
			return nil, fmt.Errorf("%s:%d: a row has only one column", DifferencesFile, i+1)
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
