// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package dovetail_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What docs/optimisations.md names is there: Go files and tests.
func TestOptimisationsAreThere(t *testing.T) {
	text, err := os.ReadFile("docs/optimisations.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	for _, f := range goFiles(t) {
		if within(leaves, f.pkg) {
			continue
		}
		there[filepath.ToSlash(f.name)] = true
		if f.test {
			source, err := os.ReadFile(f.name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range function.FindAllStringSubmatch(string(source), -1) {
				there[m[1]] = true
			}
		}
	}
	rows := 0
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.Contains(line, "`") {
			continue
		}
		rows++
		for _, column := range []int{2, 5} {
			names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[column], -1)
			if len(names) == 0 {
				t.Errorf("%s: no file, or no test", line)
			}
			for _, name := range names {
				if !there[name[1]] {
					t.Errorf("%s: %s is nowhere", line, name[1])
				}
			}
		}
	}
	if rows < 10 {
		t.Errorf("%d rows", rows)
	}
}
