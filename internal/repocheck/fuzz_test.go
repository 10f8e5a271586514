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

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w*)\(f \*testing\.F\)`)

// TestFuzzTargets checks that .ci/oss-fuzz/targets lists all fuzz targets. OSS-Fuzz searches
// for a target by the beginning of its name, in the folder and below it. If it finds two
// targets, it builds neither.
func TestFuzzTargets(t *testing.T) {
	var there []string
	texts := map[string]string{} // the texts of the tests in each folder
	for _, f := range goFiles(t) {
		if !f.test {
			continue
		}
		text, err := os.ReadFile(f.name)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.ToSlash(filepath.Dir(f.name))
		texts[dir] += string(text)
		for _, m := range fuzzTarget.FindAllStringSubmatch(string(text), -1) {
			there = append(there, dir+" "+m[1])
		}
	}
	data, err := os.ReadFile(".ci/oss-fuzz/targets")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(strings.TrimSpace(line), " here"); !strings.HasPrefix(line, "#") {
			listed = append(listed, line)
		}
	}
	slices.Sort(there)
	if !slices.Equal(listed, there) {
		t.Errorf(".ci/oss-fuzz/targets has\n%s\nwant\n%s", strings.Join(listed, "\n"), strings.Join(there, "\n"))
	}
	for _, line := range there {
		dir, name, _ := strings.Cut(line, " ")
		found := 0
		for in, text := range texts {
			if in == dir || strings.HasPrefix(in, dir+"/") {
				found += len(regexp.MustCompile(`func `+name+`.*testing\.F`).FindAllString(text, -1))
			}
		}
		if found != 1 {
			t.Errorf("%s: the names of %d targets start with this name: rename all but one", line, found)
		}
	}
	if len(there) < 28 {
		t.Errorf("found %d targets, want at least 28", len(there))
	}
}
