// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

const (
	testserver = "../../web/testserver"
	python     = "../../web/python"
)

var programDir string // removed by TestMain

// program builds the command dovetail once.
var program = sync.OnceValues(func() (file string, err error) {
	if programDir, err = os.MkdirTemp("", "dovetail-web-"); err != nil {
		return "", err
	}
	return gocmd.Dovetail(programDir, "-ldflags=-w")
})

func TestMain(m *testing.M) {
	status := m.Run()
	if programDir != "" {
		os.RemoveAll(programDir)
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
	system, ok := map[string]string{"windows": "win32"}[runtime.GOOS]
	if !ok {
		system = runtime.GOOS
	}
	arch, ok := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if !ok {
		arch = runtime.GOARCH
	}
	return system + "-" + arch + "=" + file
}

// blocks returns the fenced code blocks of a README by the words after the fence.
func blocks(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^```([a-z ]+)\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = m[2]
	}
	return all
}

// The npm packages of the test server can be packed, and installed into an empty project. The programs of
// the README run there.
func TestServerPackages(t *testing.T) {
	node, npm := need(t, "node"), need(t, "npm")
	archives := filepath.Join(t.TempDir(), "archives")
	run(t, testserver, node, "build.mjs", ownProgram(t), "--out", archives)
	packed, err := filepath.Glob(filepath.Join(archives, "*.tgz"))
	if err != nil || len(packed) != 2 {
		t.Fatalf("want two archives, found %q, %v", packed, err)
	}
	install := append([]string{"install", "--no-save", "--ignore-scripts"}, packed...)
	readme := blocks(t, filepath.Join(testserver, "README.md"))

	project := t.TempDir()
	write(t, filepath.Join(project, "package.json"), `{"type": "module"}`)
	run(t, project, npm, install...)
	write(t, filepath.Join(project, "readme.js"), readme["js"])
	if out := run(t, project, node, "readme.js"); !strings.HasPrefix(out, "https://127.0.0.1:") {
		t.Errorf("the program of the README prints %q", out)
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
	run(t, runners, npm, install...)
	write(t, filepath.Join(runners, "vitest/readme.test.mjs"), readme["js vitest"])
	write(t, filepath.Join(runners, "jest/readme.test.js"), readme["js jest"])
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

// findPython returns a Python with pytest and the packages that build wheels. Debian's Python has its
// packages even if another Python is the first in PATH.
func findPython(t *testing.T) string {
	t.Helper()
	const wanted = "import setuptools, wheel, pip, venv, pytest, kubernetes" // setuptools must be the first
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", wanted).Run() == nil {
			return name
		}
	}
	t.Skip("no Python has the packages kubernetes, pip, pytest, setuptools and wheel")
	return ""
}

// The wheel of the test server can be built, and installed into an empty environment. The programs of the
// README and the tests of the package run there.
func TestServerWheel(t *testing.T) {
	system := findPython(t)
	dir := t.TempDir()
	wheels := filepath.Join(dir, "wheels")
	run(t, python, system, "build.py", ownProgram(t), "--version", "0.2.0-rc.1", "--out", wheels)
	wheel, err := filepath.Glob(filepath.Join(wheels, "dovetail_testserver-0.2.0rc1-py3-none-*.whl"))
	if err != nil || len(wheel) != 1 {
		t.Fatalf("want one wheel, found %q, %v", wheel, err)
	}
	environment := filepath.Join(dir, "environment")
	run(t, ".", system, "-m", "venv", "--system-site-packages", "--without-pip", environment)
	interpreter := filepath.Join(environment, "bin/python")
	run(t, ".", interpreter, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel[0])

	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	readme := blocks(t, filepath.Join(python, "README.md"))
	write(t, filepath.Join(project, "readme.py"), readme["python"])
	if out := run(t, project, interpreter, "readme.py"); !strings.HasPrefix(out, "https://127.0.0.1:") {
		t.Errorf("the program of the README prints %q", out)
	}
	crd, err := os.ReadFile(filepath.Join(testserver, "test/crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(project, "crd.yaml"), string(crd))
	write(t, filepath.Join(project, "test_readme.py"), readme["python pytest"])
	tests, err := filepath.Abs(filepath.Join(python, "tests"))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(run(t, project, interpreter, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--rootdir", project, project, tests))
}
