// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	usedAction   = regexp.MustCompile(`(?m)^[ -]*uses: *(.*)$`)
	pinnedAction = regexp.MustCompile(`^\S+@[0-9a-f]{40} # v\d+(\.\d+)*$`)
)

// TestWorkflowsArePinned checks that workflows pin actions of other projects by hash, with
// the version in a comment. One workflow must run all checks, .ci/run.
func TestWorkflowsArePinned(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*")
	if err != nil {
		t.Fatal(err)
	}
	actions, gates := 0, 0
	for _, file := range append(files, "action.yml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range usedAction.FindAllStringSubmatch(string(text), -1) {
			actions++
			if !pinnedAction.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned: write the hash of the commit, then # and the version", file, m[1])
			}
		}
		gates += strings.Count(string(text), "run: .ci/run\n")
	}
	if actions < 2 || gates != 1 {
		t.Errorf("found %d actions and %d runs of .ci/run, want at least 2 and exactly 1", actions, gates)
	}
}
