// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

const engine = "../../web/engine"

// need returns the path of a program. If it does not exist, need skips the test.
func need(t *testing.T, names ...string) string {
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
	var out, errs bytes.Buffer
	c := exec.Command(name, args...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errs
	// The build uses the workspace of the repository. npm must not use the network.
	c.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=", "npm_config_offline=true", "npm_config_audit=false", "npm_config_fund=false")
	if err := c.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}

var built sync.Once

// build builds the generated files of the package, once for all tests.
func build(t *testing.T) (node string) {
	t.Helper()
	node = need(t, "node")
	built.Do(func() { run(t, engine, node, "build.mjs") })
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

// jsBlock matches a JavaScript program in a README.
var jsBlock = regexp.MustCompile("(?s)```js\n(.*?)```")

// TestPackage packs the package, installs it in an empty project, and runs the programs in its
// README.
func TestPackage(t *testing.T) {
	node := build(t)
	npm := need(t, "npm")
	dir := t.TempDir()
	archive := strings.TrimSpace(run(t, engine, npm, "pack", "--silent", "--pack-destination", dir))
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(project, "package.json"), `{"type": "module"}`)
	run(t, project, npm, "install", filepath.Join(dir, archive))
	readme, err := os.ReadFile(filepath.Join(engine, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := jsBlock.FindAllStringSubmatch(string(readme), -1)
	if len(programs) == 0 {
		t.Fatal("the README has no program")
	}
	var all strings.Builder
	for i, p := range programs {
		if strings.HasPrefix(p[1], "// In a browser") {
			continue
		}
		write(t, filepath.Join(project, "readme.js"), p[1])
		out := run(t, project, node, "readme.js")
		if i == 0 && !strings.Contains(out, "manager: me") {
			t.Errorf("the first program prints %q", out)
		}
		all.WriteString(out)
	}
	t.Log(all.String())
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
	npm := need(t, "npm")
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
	node := need(t, "node")
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
