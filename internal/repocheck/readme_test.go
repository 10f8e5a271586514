// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var typeReadme = flag.String("readme", "", "run the commands of the documents whose names match this `regexp`; all documents take minutes")

// shBlock matches a block of commands in a document. The commands of most blocks run in the
// root folder of the repository. The commands of a block marked "sh in your module" run in
// a module of the reader. The commands of a block marked "sh with kubectl" need a cluster.
var shBlock = regexp.MustCompile("(?s)```sh( [^\n]*)?\n(.*?)```\n")

// ownSteps lists commands that TestReadme skips, because CI runs them as separate steps, or
// because they would run TestReadme again.
var ownSteps = map[string]bool{
	"./test.sh": true, "./test.sh -all": true, "examples/demo.sh": true, ".ci/run": true, "go run ./cmd/suites smd-v6": true,
	"go test ./internal/repocheck -run TestReadme -readme README.md": true, "go test ./internal/repocheck -run TestReadme -readme .": true,
}

// unfenced matches a command that is not in a block, so TestReadme does not run it.
var unfenced = regexp.MustCompile(`(?m)^    +(go (run|test|install|get|build|tool|version|mod)|cd|\./|dovetail|ln) ?.*`)

// TestReadme checks that the commands in the documents run in a clone of the repository with
// only Go installed. A test of package cli runs the blocks of type console.
func TestReadme(t *testing.T) {
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, name := range append(documents, "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := unfenced.Find(regexp.MustCompile("(?s)```.*?```\n").ReplaceAll(data, nil)); found != nil {
			t.Errorf("%s: %s is not in a block of type sh: add one", name, found)
		}
		for _, b := range shBlock.FindAllSubmatch(data, -1) {
			blocks++
			if *typeReadme != "" && regexp.MustCompile(*typeReadme).MatchString(name) {
				t.Run(name, func(t *testing.T) { typeBlock(t, string(b[1]), string(b[2])) })
			}
		}
	}
	if blocks < 8 {
		t.Errorf("found %d blocks of commands, want at least 8", blocks)
	}
}

// TestIndexOfDocuments checks that the index lists every document, and that every document in
// the index exists.
func TestIndexOfDocuments(t *testing.T) {
	index, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{"README.md": true}
	for _, m := range regexp.MustCompile(`\[([^]]+)\]\(([^)]+)\)`).FindAllStringSubmatch(string(index), -1) {
		if m[1] != m[2] {
			t.Errorf("docs/README.md: the link %s leads to %s", m[1], m[2])
		}
		named[m[2]] = true
		if _, err := os.Stat("docs/" + m[2]); err != nil {
			t.Errorf("docs/README.md: %v", err)
		}
	}
	documents, err := os.ReadDir("docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		if !named[d.Name()] {
			t.Errorf("docs/README.md does not list %s", d.Name())
		}
	}
}

func typeBlock(t *testing.T, where, commands string) {
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	home, dir := t.TempDir(), root
	switch where {
	case "":
	case " in your module":
		dir = yourModule(t, commands)
		commands = strings.ReplaceAll(commands, "PATH", root)
	case " with kubectl":
		dir = t.TempDir()
		setUp := "go -C " + root + " build -o ~/bin/ ./cmd/dovetail\n" + stubs + "\n"
		for _, crd := range []string{"old.yaml", "new.yaml"} {
			if strings.Contains(commands, crd) {
				setUp += "cp \"$ROOT/examples/database/crd.yaml\" " + crd + "\n"
			}
		}
		commands = setUp + commands
	default:
		t.Fatalf("unknown type of block: sh%s", where)
	}
	var script strings.Builder
	for line := range strings.Lines(commands) {
		command, _, _ := strings.Cut(line, " #")
		if !ownSteps[strings.TrimSpace(command)] {
			script.WriteString(line)
		}
	}
	if err := os.Mkdir(home+"/bin", 0o777); err != nil {
		t.Fatal(err)
	}
	sh := exec.Command("bash", "-e", "-o", "pipefail", "-c", script.String())
	sh.Dir = dir
	sh.Env = append(os.Environ(), "HOME="+home, "GOBIN="+home+"/bin", "PATH="+home+"/bin:"+os.Getenv("PATH"), "ROOT="+root)
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		sh.Env = append(sh.Env, fmt.Sprintf("%s=%s", name, bytes.TrimSpace(value)))
	}
	out, err := sh.CombinedOutput()
	if err != nil {
		t.Fatalf("%s%v\n%s", script.String(), err, out)
	}
	if where == " in your module" {
		sh = exec.Command("go", "build", "-o", os.DevNull, ".")
		sh.Dir = dir
		if out, err := sh.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	if where == " in your module" && strings.Contains(commands, "go version") && !bytes.Contains(out, []byte("=>\t"+root+"/compat/v6")) {
		t.Errorf("the program does not contain compat/v6:\n%s", out)
	}
}

// stubs defines shell functions that replace the commands kubectl and helm, so that the test
// needs no cluster and no chart.
const stubs = `helm() { cat "$ROOT/examples/shop/chart.yaml"; }
type jq > /dev/null 2>&1 || jq() { cat > /dev/null; echo "/openapi/v3/api/v1?hash=AB12"; }
kubectl() {
	case "$*" in
	*--raw\ /openapi/v3) echo '{"paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=AB12"}}}' ;;
	*--raw\ /openapi/v3/api/v1?hash=AB12)
		echo '{"openapi": "3.0.0", "paths": {"/api/v1/pods": {"get": {"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": '
		echo '{"group": "", "version": "v1", "kind": "Pod"}}}}, "components": {"schemas": {"io.k8s.api.core.v1.Pod": {"type": "object", '
		echo '"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}]}}}}' ;;
	*--raw*) return 1 ;;
	replace*) cat "$3" ;;
	*deployment*) cat "$ROOT/examples/shop/api-live.yaml" ;;
	*) cat "$ROOT/examples/shop/live.yaml" ;;
	esac
}`

// yourModule creates a module that uses structured-merge-diff, or those packages of Dovetail
// that the commands require. It returns the folder of the module.
func yourModule(t *testing.T, commands string) string {
	t.Helper()
	dir := t.TempDir()
	program := "import \"sigs.k8s.io/structured-merge-diff/v6/typed\"\n\nfunc main() { println(typed.DeducedParseableType.IsValid()) }\n"
	switch {
	case strings.Contains(commands, "kube/gate"):
		program = "import \"github.com/dovetail-ssa/dovetail/kube/gate\"\n\nfunc main() { println(gate.Unchanged) }\n"
	case strings.Contains(commands, "-require="):
		program = `import (
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
)

func main() { println(typed.DeducedParseableType.IsValid(), openapi.New(openapi.Options{})) }
`
	}
	for name, text := range map[string]string{
		"go.mod":  "module example.com/yours\n\ngo 1.25.0\n\nrequire sigs.k8s.io/structured-merge-diff/v6 v6.4.2\n",
		"main.go": "package main\n\n" + program,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// boundRow matches a row of SECURITY.md that has a limit and its tests, such as "value
// TestDepth".
var boundRow = regexp.MustCompile(`(?m)^\| [^|]+ \| [^|]*[0-9][^|]* \| [^|]*\| ([^|]+) \|$`)

func TestBoundsHaveTests(t *testing.T) {
	data, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := boundRow.FindAllSubmatch(data, -1)
	if len(rows) < 15 {
		t.Errorf("SECURITY.md has %d bounds, want at least 15", len(rows))
	}
	for _, row := range rows {
		for _, name := range strings.Split(string(row[1]), ", ") {
			pkg, test, _ := strings.Cut(name, " ")
			files, err := filepath.Glob(pkg + "/*_test.go")
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				found = found || bytes.Contains(text, []byte("\nfunc "+test+"("))
			}
			if !found {
				t.Errorf("%s has no %s", pkg, test)
			}
		}
	}
}
