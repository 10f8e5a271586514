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
// For a story that fails, the program shows what it expected and what it found.
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
	dir := t.TempDir()
	script := filepath.Join(dir, "stories.py")
	write(t, script, blocks["python"][0])
	const command = `sed -n 's/^ *certificate-authority-data: //p' "$KUBECONFIG" | base64 -d > "$1.pem"
"$0" "$1" "$(sed -n 's/^ *server: //p' "$KUBECONFIG")" --ca "$1.pem" --token secret`
	serve := []string{"serve", "--tls", "--token", "secret", "--", shell, "-c", command, interpreter, script}
	printed := run(t, "../..", dovetail, serve...)
	stories, err := os.ReadDir("../../spec/cases/testdata/http")
	if err != nil || strings.Count(printed, "passed: ") != len(stories) {
		t.Errorf("want %d stories, %v, got:\n%s", len(stories), err, printed)
	}

	folder := filepath.Join(dir, "spec/cases/testdata/http")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "wrong.json"), `{"steps": [
{"about": "reads the namespace", "do": "get", "path": "/api/v1/namespaces/$NS", "status": 201, "want": {"kind": "Other"}}]}`)
	_, err = webpackages.Run(dir, dovetail, serve...)
	for _, want := range []string{"failed: wrong: reads the namespace\n", `-  "kind": "Other"`, `+  "kind": "Namespace",`, `- "status": 201`, `+ "status": 200`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}
