// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const fixtures = "../../internal/fixture"

// unsupported matches lines of scenarios that structured-merge-diff does not support.
var unsupported = regexp.MustCompile(`(?m)^(declarativeDefaults|missingKeys|zeroKeysUnset):|^(gate on|policy strict|zero-keys unset|default$|rekey$)|^want.*\bdiagnostics`)

var imports = regexp.MustCompile(`"github\.com/dovetail-ssa/dovetail/(fieldpath|merge|schema|typed|value)"`)

// TestScenariosOverUpstream runs the scenarios of package fixture with structured-merge-diff as
// the engine. All scenarios without declarative defaults must have the same results as with
// Dovetail.
func TestScenariosOverUpstream(t *testing.T) {
	dir := t.TempDir()
	archives := copyFixture(t, dir)
	if archives < 30 {
		t.Fatalf("only %d archives", archives)
	}
	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestScenarios$", "-v", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\nScenarios that structured-merge-diff does not support need a line such as declarativeDefaults: true, see beyond in this file.", err, out)
	}
	if passed := strings.Count(string(out), "    --- PASS: TestScenarios/"); passed != archives {
		t.Errorf("%d of %d archives passed:\n%s", passed, archives, out)
	}
}

func overUpstream(text []byte) []byte {
	text = imports.ReplaceAll(text, []byte(`"sigs.k8s.io/structured-merge-diff/v6/$1"`))
	if parses := []byte("fieldpath.ParsePath("); bytes.Contains(text, parses) {
		text = bytes.ReplaceAll(text, parses, []byte("paths.ParsePath("))
		text = bytes.Replace(text, []byte("import (\n"), []byte("import (\n\t\"fixture/paths\"\n"), 1)
	}
	return text
}

// parserOverUpstream returns a package with the parser of paths, which structured-merge-diff
// does not have.
func parserOverUpstream(text []byte) []byte {
	text = bytes.Replace(overUpstream(text), []byte("package fieldpath\n"), []byte("package paths\n"), 1)
	return bytes.Replace(text, []byte("import (\n"), []byte("import (\n\t. \"sigs.k8s.io/structured-merge-diff/v6/fieldpath\"\n"), 1)
}

// copyFixture creates a module in dir, in which package fixture uses structured-merge-diff. It
// returns the number of archives with scenarios.
func copyFixture(t *testing.T, dir string) (archives int) {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	write := func(name string, text []byte) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(fixtures, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		switch {
		case name == "policy.go" || strings.HasSuffix(name, "_test.go") && name != "scenario_test.go":
		default:
			write(name, overUpstream(read(file)))
		}
	}
	write("paths/parse.go", parserOverUpstream(read("../../fieldpath/parse.go")))
	write("policy.go", read("testdata/policy.go.txt"))

	files, err = filepath.Glob(filepath.Join(fixtures, "testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text := read(file); !unsupported.Match(text) {
			write(filepath.Join("testdata", filepath.Base(file)), text)
			archives++
		}
	}

	// Use the requirements of this module, except requirements that a folder replaces.
	var mod []byte
	for line := range bytes.Lines(read("../go.mod")) {
		if !bytes.Contains(line, []byte("dovetail-ssa")) {
			mod = append(mod, line...)
		}
	}
	write("go.mod", append([]byte("module fixture\n"), mod...))
	write("go.sum", read("../go.sum"))
	return archives
}
