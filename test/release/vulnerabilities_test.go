// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVulnerabilities checks that a module fails only if it calls a vulnerable function, and
// that a missing database is not an error.
func TestVulnerabilities(t *testing.T) {
	db, tree := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const modified = `"modified":"2026-01-01T00:00:00Z"`
	write(db+"/index/db.json", `{`+modified+`}`)
	write(db+"/index/modules.json", `[{"path":"golang.org/x/mod","vulns":[{"id":"GO-2026-0001",`+modified+`}]}]`)
	write(db+"/index/vulns.json", `[{"id":"GO-2026-0001",`+modified+`}]`)
	write(db+"/ID/GO-2026-0001.json", `{"schema_version":"1.3.1","id":"GO-2026-0001",`+modified+`,"published":"2026-01-01T00:00:00Z",
		"summary":"made up","details":"made up","affected":[{"package":{"name":"golang.org/x/mod","ecosystem":"Go"},
		"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],
		"ecosystem_specific":{"imports":[{"path":"golang.org/x/mod/semver","symbols":["Compare"]}]}}]}`)
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for dir, call := range map[string]string{"calls": `Compare("v1.0.0", "v1.1.0")`, "lacks": `IsValid("v1.0.0")`} {
		write(filepath.Join(tree, dir, "go.mod"), "module example.com/m\n\ngo 1.26.0\n\nrequire golang.org/x/mod v0.43.0\n")
		write(filepath.Join(tree, dir, "go.sum"), string(sums))
		write(filepath.Join(tree, dir, "main.go"), "package main\n\nimport \"golang.org/x/mod/semver\"\n\nfunc main() { _ = semver."+call+" }\n")
	}
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if err := vulnerabilities(tree, "file://"+db, []string{"lacks"}, env); err != nil {
		t.Error(err)
	}
	if err := vulnerabilities(tree, "file://"+db, []string{"lacks", "calls"}, env); err == nil || !strings.Contains(err.Error(), "GO-2026-0001") {
		t.Errorf("got %v", err)
	}
	for _, gone := range []string{"file://" + t.TempDir(), "http://127.0.0.1:1"} {
		if err := vulnerabilities(tree, gone, []string{"calls"}, env); err != nil {
			t.Errorf("%s: %v", gone, err)
		}
	}
}
