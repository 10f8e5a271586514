// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/webpackages"
)

const (
	testserver = "../../web/testserver"
	python     = "../../web/python"
)

var programDir string // TestMain removes it

// program builds the command dovetail once.
var program = sync.OnceValues(func() (file string, err error) {
	if programDir, err = os.MkdirTemp("", "dovetail-web-"); err != nil {
		return "", err
	}
	return gocmd.Dovetail(programDir, "-ldflags=-w")
})

func TestMain(m *testing.M) {
	status := m.Run()
	for _, dir := range []string{programDir, archives} {
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	os.Exit(status)
}

// ownProgram returns the argument with which build.mjs and build.py package the program for this machine.
func ownProgram(t *testing.T) string {
	t.Helper()
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return webpackages.Platform(runtime.GOOS, runtime.GOARCH) + "=" + file
}

// The npm packages of the test server can be packed, and installed into an empty project. The programs of
// the README run there.
func TestServerPackages(t *testing.T) {
	node, npm := findProgram(t, "node"), findProgram(t, "npm")
	out := filepath.Join(t.TempDir(), "archives")
	printed := run(t, testserver, node, "build.mjs", ownProgram(t), "--out", out)
	packed, err := filepath.Glob(filepath.Join(out, "*.tgz"))
	if err != nil || len(packed) != 2 {
		t.Fatalf("want two archives, found %q, %v", packed, err)
	}
	if got := strings.Fields(printed); !slices.Equal(slices.Sorted(slices.Values(got)), packed) {
		t.Errorf("build.mjs prints %q, want the archives %q", got, packed)
	}
	if help := run(t, testserver, node, "build.mjs", "--help"); !strings.Contains(help, "PLATFORM=FILE") {
		t.Errorf("the help of build.mjs is %q", help)
	}
	for _, wrong := range []string{"--colour", "plan9-x64=dovetail", "linux-x64=missing"} {
		c := exec.Command(node, "build.mjs", wrong, "--out", out)
		c.Dir = testserver
		if text, err := c.CombinedOutput(); err == nil || strings.Count(string(text), "\n") != 1 || !strings.HasPrefix(string(text), "build.mjs: ") {
			t.Errorf("build.mjs %s: want an error of one line, got %v, %s", wrong, err, text)
		}
	}
	readmeFile := filepath.Join(testserver, "README.md")
	if _, err := webpackages.RunNpm(t.TempDir(), readmeFile, "https://127.0.0.1:", packed...); err != nil {
		t.Fatal(err)
	}
	readme, err := webpackages.Blocks(readmeFile)
	if err != nil {
		t.Fatal(err)
	}

	// The folder test has the test runners and the client.
	runners := filepath.Join(testserver, "test")
	if _, err := os.Stat(filepath.Join(runners, "node_modules/vitest")); err != nil {
		c := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		c.Dir = runners
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run(t, runners, npm, append([]string{"install", "--no-save", "--ignore-scripts"}, packed...)...)
	for language, file := range map[string]string{"js vitest": "vitest/readme%d.test.mjs", "js jest": "jest/readme%d.test.js", "js node": "node/readme%d.test.mjs"} {
		writeBlocks(t, readme[language], filepath.Join(runners, file))
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"node", []string{"--test", "node"}},
		{"vitest", []string{"node_modules/vitest/vitest.mjs", "run", "--dir", "vitest", "--testTimeout", "60000"}},
		{"jest", []string{"node_modules/jest/bin/jest.js", "--rootDir", "jest", "--testTimeout", "60000"}},
		{"client-node", []string{"client-node.mjs"}},
	} {
		t.Run(c.name, func(t *testing.T) { t.Log(run(t, runners, node, c.args...)) })
	}
}

// The wheel of the test server can be built, and installed into an empty environment. The programs of the
// README and the tests of the package run there.
func TestServerWheel(t *testing.T) {
	system, err := webpackages.Python("pytest", "kubernetes")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	wheels := filepath.Join(dir, "wheels")
	printed := run(t, python, system, "build.py", ownProgram(t), "--version", "0.2.0-rc.1", "--out", wheels)
	wheel, err := filepath.Glob(filepath.Join(wheels, "dovetail_testserver-0.2.0rc1-py3-none-*.whl"))
	if err != nil || len(wheel) != 1 {
		t.Fatalf("want one wheel, found %q, %v", wheel, err)
	}
	if got := strings.TrimSpace(printed); got != wheel[0] {
		t.Errorf("build.py prints %q, want the wheel %q", got, wheel[0])
	}
	project := filepath.Join(dir, "project")
	readmeFile := filepath.Join(python, "README.md")
	interpreter, err := webpackages.RunWheel(dir, system, readmeFile, "https://127.0.0.1:", wheel[0])
	if err != nil {
		t.Fatal(err)
	}
	readme, err := webpackages.Blocks(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	crd, err := os.ReadFile(filepath.Join(testserver, "test/crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(project, "crd.yaml"), string(crd))
	writeBlocks(t, readme["python pytest"], filepath.Join(project, "test_readme%d.py"))
	tests, err := filepath.Abs(filepath.Join(python, "tests"))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(run(t, project, interpreter, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--rootdir", project, project, tests))
}

// writeBlocks writes the programs of a README to files. The name of each file has a number.
func writeBlocks(t *testing.T, programs []string, name string) {
	t.Helper()
	if len(programs) == 0 {
		t.Fatalf("the README has no programs for %s", name)
	}
	for i, program := range programs {
		write(t, fmt.Sprintf(name, i), program)
	}
}
