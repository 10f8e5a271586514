// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/webpackages"
)

// The Python program in the README of the test cases runs all stories, and the test server passes them.
func TestStoriesInPython(t *testing.T) {
	interpreter, shell := findProgram(t, "python3"), findProgram(t, "sh")
	dovetail, err := program()
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := webpackages.Blocks("../../spec/cases/README.md")
	if err != nil || len(blocks["python"]) != 1 {
		t.Fatalf("want one program, found %q, %v", blocks["python"], err)
	}
	script := filepath.Join(t.TempDir(), "stories.py")
	write(t, script, blocks["python"][0])
	printed := run(t, "../..", dovetail, "serve", "--", shell, "-c", `"$0" "$1" "$(sed -n 's/^ *server: //p' "$KUBECONFIG")"`, interpreter, script)
	stories, err := os.ReadDir("../../spec/cases/testdata/http")
	if err != nil || strings.Count(printed, "passed: ") != len(stories) {
		t.Errorf("want %d stories, %v, got:\n%s", len(stories), err, printed)
	}
}
