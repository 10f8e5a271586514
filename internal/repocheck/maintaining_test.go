// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestMaintainingNamesExist checks that the files, identifiers and tests that
// docs/maintaining.md lists for each task exist.
func TestMaintainingNamesExist(t *testing.T) {
	text, err := os.ReadFile("docs/maintaining.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test {
			text, err := os.ReadFile(f.name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range testName.FindAllStringSubmatch(string(text), -1) {
				tests[m[1]] = true
			}
		}
	}
	tasks := 0
	for _, task := range strings.Split(string(text), "\n## ")[1:] {
		title, _, _ := strings.Cut(task, "\n")
		tasks++
		opened := fileToOpen.FindAllStringSubmatch(task, -1)
		if len(opened) == 0 {
			t.Errorf("%q lists no file", title)
		}
		for _, m := range opened {
			file, names := m[1], m[2]
			text, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%q: %v", title, err)
				continue
			}
			for _, n := range quoted.FindAllStringSubmatch(names, -1) {
				last := n[1][strings.LastIndex(n[1], ".")+1:]
				if !regexp.MustCompile(`\b` + regexp.QuoteMeta(last) + `\b`).Match(text) {
					t.Errorf("%q: %s does not have %s", title, file, n[1])
				}
			}
		}
		named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(task, -1)
		if len(named) == 0 {
			t.Errorf("%q lists no test", title)
		}
		for _, n := range named {
			if !tests[n] {
				t.Errorf("%q: there is no %s", title, n)
			}
		}
	}
	if tasks == 0 {
		t.Error("docs/maintaining.md has no task")
	}
}

var (
	testName   = regexp.MustCompile(`(?m)^func (Test[A-Z]\w+)\(`)
	fileToOpen = regexp.MustCompile("(?m)^[0-9]+\\. `([^`]+)`(?:: ([^\n]*(?:\n   [^\n]*)*))?")
	quoted     = regexp.MustCompile("`([A-Za-z][A-Za-z0-9_.]*)`")
)
