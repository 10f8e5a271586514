// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLimitsAreTested checks the table of limits in SECURITY.md. All tests in its last column must
// exist. If they are in the root module, the test files of each package must contain an error text
// of the row, and each text must be in one of the packages.
func TestLimitsAreTested(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Limits")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := 0
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		tests := regexp.MustCompile(`([\w/]+) (Test\w+)`).FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 4 || tests == nil {
			continue
		}
		rows++
		quoted := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1)
		all, inRoot := "", true
		for _, test := range tests {
			code := testCode(t, test[1])
			if !strings.Contains(code, "\nfunc "+test[2]+"(") {
				t.Errorf("%s: package %s has no test %s", cells[0], test[1], test[2])
			}
			all += code
			module, _, _ := strings.Cut(test[1], "/")
			if inRoot = module != "kube" && module != "gen" && module != "cmd"; !inRoot {
				break
			}
			if quoted != nil && !slices.ContainsFunc(quoted, func(q []string) bool { return strings.Contains(code, q[1]) }) {
				t.Errorf("%s: no test of package %s contains a text of the row", cells[0], test[1])
			}
		}
		for _, q := range quoted {
			if inRoot && !strings.Contains(all, q[1]) {
				t.Errorf("%s: no test contains the text %q", cells[0], q[1])
			}
		}
	}
	if rows < 10 {
		t.Errorf("found only %d rows with tests", rows)
	}
}

// testCode returns the text of all test files in a folder.
func testCode(t *testing.T, folder string) (code string) {
	names, err := filepath.Glob(folder + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code += string(text)
	}
	return code
}
