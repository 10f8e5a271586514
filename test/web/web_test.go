// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/webpackages"
)

const engine = "../../web/engine"

// findProgram returns the path of a program. If it does not exist, findProgram skips the test.
func findProgram(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skipf("%s not found", names[len(names)-1])
	return ""
}

// run runs a program in a folder and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := webpackages.Run(dir, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var built sync.Once

// archives is the folder in which build packs the package. TestMain removes it.
var archives string

// build builds the generated files of the package and packs it, once for all tests.
func build(t *testing.T) (node string) {
	t.Helper()
	node = findProgram(t, "node")
	findProgram(t, "npm")
	built.Do(func() {
		var err error
		if archives, err = os.MkdirTemp("", "dovetail-web-"); err != nil {
			t.Fatal(err)
		}
		run(t, engine, node, "build.mjs", "--out", archives)
	})
	if _, err := os.Stat(filepath.Join(engine, "dist/version.js")); err != nil {
		t.Fatal("the build failed")
	}
	return node
}

// TestEngine runs the npm package's own tests.
func TestEngine(t *testing.T) {
	node := build(t)
	run(t, engine, node, "--test", "test")
}

// maxDownload is the maximum number of bytes that a browser loads before it has the types of a
// release. The files are compressed.
const maxDownload = 4_000_000

func TestSize(t *testing.T) {
	build(t)
	size := 0
	for _, name := range []string{"index.js", "dist/engine.wasm", "dist/wasm_exec.js", "dist/version.js"} {
		text, err := os.ReadFile(filepath.Join(engine, name))
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid, so there is no error
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		size += packed.Len()
	}
	releases, err := filepath.Glob(filepath.Join(engine, "dist/releases/*.gz"))
	if err != nil || len(releases) == 0 {
		t.Fatalf("the package has no releases: %v", err)
	}
	largest := int64(0)
	for _, name := range releases {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, info.Size())
	}
	if size += int(largest); size > maxDownload {
		t.Errorf("a browser loads %d bytes, want at most %d", size, maxDownload)
	}
	t.Logf("a browser loads %d bytes, of which %d are types", size, largest)
}

// TestPackage installs the package in an empty project, and runs the programs in its README.
func TestPackage(t *testing.T) {
	build(t)
	packed, err := filepath.Glob(filepath.Join(archives, "*.tgz"))
	if err != nil || len(packed) != 1 {
		t.Fatalf("want one archive, found %q, %v", packed, err)
	}
	out, err := webpackages.RunNpm(t.TempDir(), filepath.Join(engine, "README.md"), "apiVersion: v1\n", packed...)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out[0], "manager: me") {
		t.Errorf("the first program prints %q", out[0])
	}
	t.Log(strings.Join(out, ""))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDeclarations compiles programs that call all functions, to check the TypeScript
// declarations.
func TestDeclarations(t *testing.T) {
	npm := findProgram(t, "npm")
	tsc := filepath.Join(engine, "node_modules/.bin/tsc")
	if _, err := os.Stat(tsc); err != nil {
		c := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		c.Dir = engine
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run(t, engine, "node_modules/.bin/tsc", "-p", "test")
}

// TestConformance runs the cases of spec with the engine as WebAssembly. It must pass the same
// cases as the native engine.
func TestConformance(t *testing.T) {
	node := findProgram(t, "node")
	dir := t.TempDir()
	program := filepath.Join(dir, "ssaimpl.wasm")
	if _, err := gocmd.With([]string{"GOWORK=", "GOFLAGS=", "GOOS=js", "GOARCH=wasm"}, "../differential", "build", "-o", program, "./cmd/ssaimpl"); err != nil {
		t.Fatal(err)
	}
	root, err := gocmd.Output(".", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	glue := filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec_node.js")
	// Go's script go_js_wasm_exec starts node with the same stack size.
	command := strings.Join([]string{"wasm=" + node, "--stack-size=8192", glue, program, "dovetail"}, " ")
	t.Log(run(t, "../../spec", "go", "run", "./cmd/ssa-conformance", command))
}
