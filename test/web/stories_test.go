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

// The Python program of the test cases runs all stories, and the test server passes them. For a story
// that fails, the program shows what it expected and what it found. It fails if there are no stories.
func TestStoriesInPython(t *testing.T) {
	interpreter, shell := findProgram(t, "python3"), findProgram(t, "sh")
	dovetail, err := program()
	if err != nil {
		t.Fatal(err)
	}
	const script, folder = "spec/cases/stories.py", "spec/cases/testdata/http"
	dir := t.TempDir()
	const command = `sed -n 's/^ *certificate-authority-data: //p' "$KUBECONFIG" | base64 -d > "$PEM"
"$0" "$@" "$(sed -n 's/^ *server: //p' "$KUBECONFIG")" --ca "$PEM" --token secret`
	serve := []string{"serve", "--tls", "--token", "secret", "--", shell, "-c", command, interpreter, script}
	t.Setenv("PEM", filepath.Join(dir, "ca.pem"))
	printed := run(t, "../..", dovetail, serve...)
	stories, err := os.ReadDir("../../" + folder)
	if err != nil || strings.Count(printed, "passed: ") != len(stories) {
		t.Errorf("want %d stories, %v, got:\n%s", len(stories), err, printed)
	}

	write(t, filepath.Join(dir, "wrong.json"), `{"steps": [
{"about": "reads the namespace", "do": "get", "path": "/api/v1/namespaces/$NS", "status": 201, "want": {"kind": "Other"}}]}`)
	_, err = webpackages.Run("../..", dovetail, append(serve, "--stories", dir)...)
	for _, want := range []string{"failed: wrong: reads the namespace\n", `-  "kind": "Other"`, `+  "kind": "Namespace",`, `- "status": 201`, `+ "status": 200`, "0 of 1 stories passed"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	empty := t.TempDir()
	if _, err = webpackages.Run("../..", dovetail, append(serve, "--stories", empty)...); err == nil || !strings.Contains(err.Error(), "no stories in "+empty) {
		t.Errorf("without stories: got %v", err)
	}
}
