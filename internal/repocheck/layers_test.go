// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/dovetail-ssa/dovetail"

// layers has one row for each layer. A package may import packages of the rows below its own
// row, and packages that match the same pattern. ARCHITECTURE.md explains the rows.
const layers = `
module      .
commands    cmd/...    gen/...
families    cmd/internal/cli/apply  cmd/internal/cli/diff  cmd/internal/cli/owners  cmd/internal/cli/doctor  cmd/internal/cli/migrate  cmd/internal/cli/objects  cmd/internal/cli/definitions  cmd/internal/cli/serve  cmd/internal/cli/playground
reports     cmd/internal/cli/report  cmd/internal/cli/writing
requests    cmd/internal/cli/prediction
sources     cmd/internal/cli/sources  cmd/internal/cli/fields
input       cmd/internal/cli/input
clusters    cmd/internal/cli/cluster
flags       cmd/internal/cli/command
forms       cmd/internal/cli/ci
output      cmd/internal/cli/encode
lines       cmd/internal/cli/spool  cmd/internal/cli/unstructured  cmd/internal/cli/linediff  cmd/internal/cli/words  cmd/internal/page
people      ownership  resolve
controllers kube/gate  kube/testserver
serving     kube/crd/served
admission   kube/policy  kube/policy/podsecurity
prediction  kube/predict
documents   kube/...     fieldmanager
around      internal/clientside  internal/sent
codec       managedfields
stored      internal/stored   internal/place
policy      merge
types       typed
plain       internal/document
operands    internal/operand
overengine  internal/rekey  internal/gostruct  internal/transition
engine      internal/engine
ownedsets   internal/ownedset
items       internal/item
plaindata   internal/data
findings    internal/diag  internal/suggest
vocabulary  fieldpath   internal/compiled
data        schema       value
core        internal/graph  internal/jsoniter
tables      internal/intern  internal/box  internal/scratch  internal/quantity  internal/flow  internal/edition  internal/kind  internal/wholefile  internal/rules  internal/httpstatus
`

// never lists imports that are forbidden although the rows allow them.
var never = map[string][]string{
	"kube/...":      {"merge"},
	"internal/diag": {"fieldpath", "schema", "value", "internal/graph"},
}

// forTests lists packages that only tests may import.
var forTests = []string{"internal/allocs", "internal/fixture"}

// leaves lists folders that no package outside of them may import.
var leaves = []string{"compat", "examples", "spec", "test"}

// shimmed lists the packages to which the modules in compat forward.
var shimmed = []string{"fieldpath", "merge", "schema", "typed", "value"}

// external lists the packages outside the standard library that the root module may import.
// Its tests may not import others either, because go mod tidy adds the dependencies of tests to
// every module that uses the root module.
var external = []string{"go.yaml.in/yaml/v2"}

func TestLayers(t *testing.T) {
	for _, v := range violations(goFiles(t)) {
		t.Error(v)
	}
}

func violations(files []file) (all []string) {
	row := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(layers), "\n") {
		for _, pattern := range strings.Fields(line)[1:] {
			row[pattern] = i
		}
	}
	for _, f := range files {
		from := patternOf(row, f.pkg)
		for _, to := range f.ours {
			below := patternOf(row, to)
			problem := ""
			switch {
			case f.test || within(leaves, f.pkg):
			case within(leaves, to):
				problem = "imports " + to + ", which no other module may import"
			case within(forTests, f.pkg):
			case within(forTests, to):
				problem = "imports " + to + ", which is for tests only"
			case from == "":
				problem = "is in package " + f.pkg + ", which is in no row: add it to layers"
			case below == "":
				problem = "imports " + to + ", which is in no row: add it to layers"
			case from != below && row[from] >= row[below]:
				problem = "imports " + to + ", which is not below " + from
			case within(never[from], to):
				problem = "imports " + to + ", which " + from + " must not import"
			}
			if problem != "" {
				all = append(all, f.name+" "+problem)
			}
		}
	}
	return all
}

// TestDiagramIsComplete checks that the diagram in ARCHITECTURE.md has all packages of the
// rows.
func TestDiagramIsComplete(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	diagram := strings.Split(string(text), "```")[1]
	for _, row := range strings.Split(strings.TrimSpace(layers), "\n") {
		for _, p := range strings.Fields(row)[1:] {
			p = strings.TrimSuffix(p, "/...")
			if p != "." && !strings.HasPrefix(p, "cmd/internal/cli/") && !slices.Contains(strings.Fields(diagram), p) &&
				!strings.Contains(diagram, " "+p+"/") {
				t.Errorf("%s is not in the diagram of ARCHITECTURE.md", p)
			}
		}
	}
}

// TestUnsafeImports checks that only two packages depend on the memory layout of Go. The tests
// of these packages check the assumptions, also on big-endian and 32-bit machines.
func TestUnsafeImports(t *testing.T) {
	allowed := []string{"internal/box", "internal/gostruct", "cmd/internal/cli"} // cmd/internal/cli imports unsafe only to get the size of a terminal
	eachFile(t, func(path string, f *ast.File, _ *token.FileSet) {
		for _, i := range f.Imports {
			if i.Path.Value == `"unsafe"` && !slices.Contains(allowed, filepath.Dir(path)) {
				t.Errorf("%s imports unsafe: use package box for addresses, package gostruct for offsets", path)
			}
		}
	})
}

func TestViolations(t *testing.T) {
	for _, c := range []struct {
		from, to string
		test     bool
		want     string
	}{
		{from: "merge", to: "typed"},
		{from: "cmd/x/y", to: "cmd/z"},
		{from: "cmd/x", to: "fieldmanager"},
		{from: "typed", to: "internal/fixture", test: true},
		{from: "value", to: "merge", test: true},
		{from: "internal/fixture", to: "merge"},
		{from: "test/a", to: "merge"},
		{from: "test/a", to: "test/b"},
		{from: "typed", to: "merge", want: "imports merge, which is not below typed"},
		{from: "schema", to: "value", want: "imports value, which is not below schema"},
		{from: "fieldmanager", to: "kube/openapi", want: "imports kube/openapi, which is not below fieldmanager"},
		{from: "kube/openapi", to: "merge", want: "imports merge, which kube/... must not import"},
		{from: "internal/diag", to: "internal/graph", want: "imports internal/graph, which internal/diag must not import"},
		{from: "merge", to: "internal/fixture", want: "imports internal/fixture, which is for tests only"},
		{from: "cmd/x", to: "test/a", want: "imports test/a, which no other module may import"},
		{from: "cmd/internal/cli/diff", to: "cmd/internal/cli/owners", want: "imports cmd/internal/cli/owners, which is not below cmd/internal/cli/diff"},
		{from: "new", to: "value", want: "is in package new, which is in no row: add it to layers"},
		{from: "merge", to: "new", want: "imports new, which is in no row: add it to layers"},
	} {
		f := file{name: c.from + "/f.go", pkg: c.from, test: c.test, ours: []string{c.to}}
		want := ""
		if c.want != "" {
			want = f.name + " " + c.want
		}
		if got := strings.Join(violations([]file{f}), "\n"); got != want {
			t.Errorf("%s imports %s: got %q, want %q", c.from, c.to, got, want)
		}
	}
}

// TestImportsOfCompat checks that the modules in compat import only the packages that they
// forward to. Programs that use these modules then depend on nothing else.
func TestImportsOfCompat(t *testing.T) {
	for _, f := range goFiles(t) {
		if !within([]string{"compat"}, f.pkg) || f.test {
			continue
		}
		for _, to := range f.ours {
			if !slices.Contains(shimmed, to) {
				t.Errorf("%s imports %s", f.name, to)
			}
		}
	}
}

// TestCommandHasNoTemplates checks that the command dovetail does not contain html/template. A
// template finds methods by their names, so the linker has to keep all exported methods of all
// types, and the command would be 20 % larger. Cobra imports text/template, but runs templates only
// for programs that set some.
func TestCommandHasNoTemplates(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "./dovetail")
	list.Dir = "cmd"
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "encoding/json") {
		t.Errorf("go list prints %d packages without encoding/json", len(packages))
	}
	for _, name := range packages {
		if name == "html/template" {
			t.Errorf("the command depends on %s", name)
		}
	}
}

func TestRootModuleImportsOnlyYAML(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.module != "." {
			continue
		}
		for _, to := range f.others {
			if !slices.Contains(external, to) {
				t.Errorf("%s imports %s", f.name, to)
			}
		}
	}
}

// TestRootModuleRequiresOnlyYAML checks the requirements of the root module. Every
// program that uses the root module gets these requirements.
func TestRootModuleRequiresOnlyYAML(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	block := false
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case block && words[0] == ")":
			block = false
		case block:
			required = append(required, words[0])
		case words[0] == "require" && words[1] == "(":
			block = true
		case words[0] == "require":
			required = append(required, words[1])
		case words[0] == "replace" || words[0] == "exclude":
			t.Errorf("go.mod has a %s, which does not apply in programs that use the module", words[0])
		}
	}
	for _, name := range required {
		if !slices.Contains(external, name) {
			t.Errorf("go.mod requires %s", name)
		}
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(text), string(sums)} {
		if strings.Contains(text, "k8s.io") {
			t.Error("go.mod or go.sum mentions k8s.io")
		}
	}
}

// file is a Go file of the repository.
type file struct {
	name   string // relative to the root of the repository
	module string // directory of its go.mod
	pkg    string // import path relative to the root module
	test   bool
	ours   []string // imports of this repository, like pkg
	others []string // imports from outside the standard library and this repository
}

func goFiles(t *testing.T) []file {
	t.Helper()
	var files []file
	var walk func(dir, mod string)
	walk = func(dir, mod string) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			mod = dir
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") || e.Name() == "testdata":
			case e.IsDir():
				walk(name, mod)
			case strings.HasSuffix(e.Name(), ".go") && e.Type()&fs.ModeSymlink == 0:
				files = append(files, readFile(t, name, mod))
			}
		}
	}
	walk(".", ".")
	if len(files) < 50 {
		t.Fatalf("found %d Go files", len(files))
	}
	return files
}

func readFile(t *testing.T, name, mod string) file {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(name), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	f := file{name: name, module: mod, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go")}
	for _, imp := range parsed.Imports {
		to, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(to, "/")
		switch {
		case to == module:
			f.ours = append(f.ours, ".")
		case strings.HasPrefix(to, module+"/"):
			f.ours = append(f.ours, strings.TrimPrefix(to, module+"/"))
		case strings.Contains(first, "."):
			f.others = append(f.others, to)
		}
	}
	return f
}

// patternOf returns the longest pattern in row that matches a package.
func patternOf(row map[string]int, pkg string) (found string) {
	for pattern := range row {
		dir, ok := strings.CutSuffix(pattern, "/...")
		if (pattern == pkg || ok && (pkg == dir || strings.HasPrefix(pkg, dir+"/"))) && len(pattern) > len(found) {
			found = pattern
		}
	}
	return found
}

// within reports whether a package is one of dirs or below one.
func within(dirs []string, pkg string) bool {
	for _, dir := range dirs {
		if pkg == dir || strings.HasPrefix(pkg, dir+"/") {
			return true
		}
	}
	return false
}

// parents matches the start of a path in Go code, if the path leads out of the folder
// of the code.
var parents = regexp.MustCompile(`"(\.\./)+[^."]|"\.\."(, "\.\.")*, "`)

// TestPathsStayInTheRepository checks that no Go file contains a path that leads out of
// the repository.
func TestPathsStayInTheRepository(t *testing.T) {
	for _, f := range goFiles(t) {
		text, err := os.ReadFile(filepath.FromSlash(f.name))
		if err != nil {
			t.Fatal(err)
		}
		depth := strings.Count(f.name, "/")
		for _, found := range parents.FindAllString(string(text), -1) {
			if strings.Count(found, "..") > depth {
				t.Errorf("%s: %s leads out of the repository", f.name, found)
			}
		}
	}
}

// TestModulesAreInAWorkspace checks that the go command works in the folder of every module.
// The go.work file that applies to the folder must contain the module.
func TestModulesAreInAWorkspace(t *testing.T) {
	modules := 0
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == "testdata" {
			return cmp.Or(err, fs.SkipDir)
		}
		if e.Name() != "go.mod" {
			return nil
		}
		modules++
		module := filepath.Dir(name)
		dir := module
		for !exists(filepath.Join(dir, "go.work")) {
			dir = filepath.Dir(dir) // the root has one
		}
		text, err := os.ReadFile(filepath.Join(dir, "go.work"))
		if err != nil {
			return err
		}
		use, err := filepath.Rel(dir, module)
		if use != "." {
			use = "./" + filepath.ToSlash(use)
		}
		if words := strings.Fields(string(text)); !slices.Contains(words, use) {
			t.Errorf("%s/go.work does not contain use %s", dir, use)
		}
		return err
	})
	if err != nil || modules < 10 {
		t.Errorf("%d modules: %v", modules, err)
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestModulesRequireWhatTheyImport checks that every go.mod requires the modules that its
// module imports, also in tests. The workspace hides a missing requirement, but programs that
// use the module do not have the workspace.
func TestModulesRequireWhatTheyImport(t *testing.T) {
	files := goFiles(t)
	required := map[string][]string{} // by the folder of a module
	for _, f := range files {
		if required[f.module] != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.FromSlash(f.module), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range requirement.FindAllStringSubmatch(string(text), -1) {
			required[f.module] = append(required[f.module], found[1]+found[2])
		}
	}
	moduleOf := func(pkg string) string {
		for required[pkg] == nil {
			pkg = path.Dir(pkg) // up to the root, "."
		}
		return pkg
	}
	reported := map[string]bool{}
	for _, f := range files {
		for _, to := range f.ours {
			if name := path.Join(module, moduleOf(to)); !slices.Contains(required[f.module], name) && !reported[f.module+" "+name] {
				reported[f.module+" "+name] = true
				t.Errorf("%s imports %s, but %s/go.mod does not require %s", f.name, to, f.module, name)
			}
		}
		for _, to := range f.others {
			if !within(required[f.module], to) && !reported[f.module+" "+to] {
				reported[f.module+" "+to] = true
				t.Errorf("%s imports %s, but no module that %s/go.mod requires has this package", f.name, to, f.module)
			}
		}
	}
}

// requirement matches a line of a go.mod that has the name of the module, or of a module that it
// requires.
var requirement = regexp.MustCompile(`(?m)^(?:(?:require)?\s+([^\s()]+) v[0-9]|module (\S+)$)`)

// TestModulesOfCompatHaveLicence checks that each module in compat contains a copy of LICENSE, because
// go mod vendor copies only a licence that is inside the module.
func TestModulesOfCompatHaveLicence(t *testing.T) {
	want, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Glob("compat/*/go.mod")
	if err != nil || len(modules) < 3 {
		t.Fatalf("modules %v, error %v", modules, err)
	}
	for _, m := range modules {
		name := filepath.Join(filepath.Dir(m), "LICENSE")
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not a copy of LICENSE (error: %v)", name, err)
		}
	}
}

// TestFilesHaveLicences checks that every Go file and script has a licence comment,
// except test data.
func TestFilesHaveLicences(t *testing.T) {
	var names []string
	for _, scripts := range []string{"*.sh", ".ci/[^o]*", ".ci/oss-fuzz/*"} {
		found, err := filepath.Glob(scripts)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	for _, f := range goFiles(t) {
		names = append(names, filepath.FromSlash(f.name))
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text[:min(len(text), 400)]), "SPDX-License-Identifier: Apache-2.0\n") {
			t.Errorf("%s has no licence comment: run .ci/spdx, or the generator of the file", name)
		}
	}
}
