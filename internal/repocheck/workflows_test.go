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

// What workflows run of others is pinned by hash, with the version for people. They run the gate
// and nothing else, so that it is the same everywhere.
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
				t.Errorf("%s: %s is not pinned", file, m[1])
			}
		}
		gates += strings.Count(string(text), "run: .ci/run\n")
	}
	if actions < 2 || gates != 1 {
		t.Errorf("%d actions, %d gates", actions, gates)
	}
}
