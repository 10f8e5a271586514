// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const gremlins = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

// mutant is a change of one token in the code.
type mutant struct {
	ID     int    `json:"id"`
	File   string `json:"file"` // relative to the root of the repository
	Line   int    `json:"line"`
	Col    int    `json:"col"`
	Type   string `json:"type"` // the type of the change, as gremlins calls it
	From   string `json:"from"`
	To     string `json:"to"`
	Text   string `json:"text"`   // the line without indentation
	Column int    `json:"column"` // position in Text, from 0
	Func   string `json:"func"`

	offset int
}

func (m mutant) pkg() string { return filepath.ToSlash(filepath.Dir(m.File)) }

// swaps maps each token to its replacement, separately for each type of change. It is needed
// because gremlins reports only the position and the type of a change.
var swaps = map[string]map[string]string{
	"ARITHMETIC_BASE":         {"+": "-", "*": "/", "/": "*", "%": "*", "-": "+"},
	"CONDITIONALS_BOUNDARY":   {">=": ">", ">": ">=", "<=": "<", "<": "<="},
	"CONDITIONALS_NEGATION":   {"==": "!=", ">=": "<", ">": "<=", "<=": ">", "<": ">=", "!=": "=="},
	"INCREMENT_DECREMENT":     {"--": "++", "++": "--"},
	"INVERT_ASSIGNMENTS":      {"+=": "-=", "*=": "/=", "/=": "*=", "-=": "+="},
	"INVERT_BITWISE":          {"&": "|", "|": "&", "^": "&", "&^": "&", "<<": ">>", ">>": "<<"},
	"INVERT_BWASSIGN":         {"&=": "|=", "|=": "&=", "^=": "&=", "&^=": "&=", "<<=": ">>=", ">>=": "<<="},
	"INVERT_LOGICAL":          {"&&": "||", "||": "&&"},
	"INVERT_LOOPCTRL":         {"break": "continue", "continue": "break"},
	"INVERT_NEGATIVES":        {"-": "+"},
	"REMOVE_SELF_ASSIGNMENTS": {"+=": "=", "-=": "=", "*=": "=", "/=": "=", "%=": "=", "&=": "=", "|=": "=", "^=": "=", "&^=": "=", "<<=": "=", ">>=": "="},
}

// tokens lists the longest tokens first, because some tokens begin with a shorter token.
var tokens = []string{
	"continue", "break", "<<=", ">>=", "&^=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&&", "||",
	"==", "!=", "<=", ">=", "++", "--", "<<", ">>", "&^", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^",
}

// list returns all possible mutants of a copy of the module. It lists equal changes only once.
func list(o options, clean string) ([]mutant, error) {
	dir := filepath.Join(o.work, "list")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := copyFile(filepath.Join(clean, name), filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	// Copy no test files, because gremlins would run the tests.
	all, err := command(clean, "GOWORK=off", "go", "list", "-f", `{{$p := .ImportPath}}{{range .GoFiles}}{{$p}}/{{.}}{{"\n"}}{{end}}`, "./...")
	if err != nil {
		return nil, err
	}
	for _, f := range strings.Fields(all) {
		f = strings.TrimPrefix(f, modulePath+"/")
		if err := copyFile(filepath.Join(clean, f), filepath.Join(dir, f)); err != nil {
			return nil, err
		}
	}
	out := filepath.Join(o.work, "gremlins.json")
	args := []string{"run", gremlins, "unleash", "--dry-run", "-o", out}
	for t := range swaps {
		args = append(args, "--"+strings.ReplaceAll(strings.ToLower(t), "_", "-"))
	}
	if _, err := command(dir, "GOWORK=off", "go", args...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var found struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type         string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, err
	}
	var ms []mutant
	for _, f := range found.Files {
		if !slices.Contains(packages, path.Dir(f.Name)) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(clean, f.Name))
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		lines := strings.SplitAfter(string(src), "\n")
		for _, m := range f.Mutations {
			line := lines[m.Line-1]
			from := tokenAt(line[m.Column-1:])
			to := swaps[m.Type][from]
			if to == "" {
				continue // gremlins lists the operator %= twice, once with a type that does not apply
			}
			indent := len(line) - len(strings.TrimLeft(line, "\t "))
			offset := len(strings.Join(lines[:m.Line-1], "")) + m.Column - 1
			ms = append(ms, mutant{
				File: f.Name, Line: m.Line, Col: m.Column, Type: m.Type, From: from, To: to, Func: funcAt(parsed, offset),
				Text: strings.TrimSpace(line), Column: m.Column - 1 - indent, offset: offset,
			})
		}
	}
	slices.SortFunc(ms, func(a, b mutant) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.offset != b.offset {
			return a.offset - b.offset
		}
		if c := strings.Compare(a.To, b.To); c != 0 {
			return c
		}
		return strings.Compare(a.Type, b.Type)
	})
	return slices.CompactFunc(ms, func(a, b mutant) bool {
		return a.File == b.File && a.offset == b.offset && a.To == b.To
	}), nil
}

// funcAt returns the name of the function at an offset of a file.
func funcAt(f *ast.File, offset int) string {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && int(fn.Pos()-f.FileStart) <= offset && offset < int(fn.End()-f.FileStart) {
			return fn.Name.Name
		}
	}
	return ""
}

func tokenAt(text string) string {
	for _, t := range tokens {
		if strings.HasPrefix(text, t) {
			return t
		}
	}
	return ""
}

// goFiles returns the source files of a package on this platform.
func goFiles(root, pkg string) ([]string, error) {
	out, err := command(root, "GOWORK=", "go", "list", "-f", "{{range .GoFiles}}{{.}}\n{{end}}", "./"+pkg)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range strings.Fields(out) {
		files = append(files, pkg+"/"+name)
	}
	return files, nil
}

// quotas distributes n mutants over the packages, in proportion to their lines of code.
func quotas(clean string, n int) (map[string]int, error) {
	lines, sum := map[string]int{}, 0
	for _, pkg := range packages {
		files, err := goFiles(clean, pkg)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			src, err := os.ReadFile(filepath.Join(clean, f))
			if err != nil {
				return nil, err
			}
			for _, line := range strings.Split(string(src), "\n") {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
					lines[pkg]++
					sum++
				}
			}
		}
	}
	for pkg := range lines {
		lines[pkg] = (lines[pkg]*n + sum - 1) / sum
	}
	return lines, nil
}

// draw returns the possible mutants of each package in random order, and how many of them to use.
// If the last argument is the folder of an earlier run, draw returns the survivors of that run
// instead, and all of them are used.
func (o options) draw(clean, from string) (by map[string][]mutant, want map[string]int, err error) {
	if from != "" {
		if by, err = survivorsOf(o, from); err != nil {
			return nil, nil, err
		}
		want = map[string]int{}
		for pkg, ms := range by {
			want[pkg] = len(ms)
		}
		return by, want, nil
	}
	all, err := list(o, clean)
	if err != nil {
		return nil, nil, err
	}
	if want, err = quotas(clean, o.n); err != nil {
		return nil, nil, err
	}
	by = map[string][]mutant{}
	for _, m := range all {
		by[m.pkg()] = append(by[m.pkg()], m)
	}
	for _, pkg := range packages {
		r := rand.New(rand.NewPCG(o.seed, uint64(len(pkg))<<32|uint64(pkg[0])))
		r.Shuffle(len(by[pkg]), func(i, j int) { by[pkg][i], by[pkg][j] = by[pkg][j], by[pkg][i] })
	}
	return by, want, nil
}

// prepare returns the sample. If there is no sample yet, prepare draws one and creates the two
// copies of the repository. If the last argument is the folder of an earlier run, the sample
// consists of the survivors of that run.
func prepare(o options, from string) ([]mutant, error) {
	clean, tree := filepath.Join(o.work, "clean"), filepath.Join(o.work, "tree")
	file := filepath.Join(o.work, "sample.json")
	var sample []mutant
	if text, err := os.ReadFile(file); err == nil {
		err := json.Unmarshal(text, &sample)
		return sample, err
	}
	for _, dir := range []string{clean, tree} {
		if err := copyTree(o.root, dir); err != nil {
			return nil, err
		}
		if err := write(filepath.Join(dir, "internal/mutant/mutant.go"), chooser); err != nil {
			return nil, err
		}
	}
	by, want, err := o.draw(clean, from)
	if err != nil {
		return nil, err
	}
	exports, err := exportsOf(clean)
	if err != nil {
		return nil, err
	}
	tally := map[string]*counts{}
	for _, pkg := range packages {
		c := &counts{Mutants: len(by[pkg])}
		tally[pkg] = c
		// Some mutants do not compile, so try a few more than wanted.
		most := min(len(by[pkg]), want[pkg]*3/2+5)
		tried := by[pkg][:most]
		for i := range tried {
			tried[i].ID = len(sample) + i + 1
		}
		bad, err := check(clean, pkg, tried, exports)
		if err != nil {
			return nil, err
		}
		var kept []mutant
		for _, m := range tried {
			if len(kept) == want[pkg] {
				break
			}
			if bad[m.ID] {
				c.Refused++
				continue
			}
			m.ID = len(sample) + len(kept) + 1
			kept = append(kept, m)
		}
		if err := mutate(clean, tree, pkg, kept); err != nil {
			return nil, err
		}
		sample = append(sample, kept...)
		fmt.Printf("%s: takes %d of %d mutants; %d drawn mutants do not compile\n", pkg, len(kept), c.Mutants, c.Refused)
	}
	if err := writeJSON(filepath.Join(o.work, "counts.json"), tally); err != nil {
		return nil, err
	}
	// Shuffle the sample, so that the first mutants of a run are also a random sample.
	r := rand.New(rand.NewPCG(o.seed, 2))
	r.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
	return sample, writeJSON(file, sample)
}

// counts has the number of possible mutants of a package, and the number of drawn mutants that
// do not compile.
type counts struct{ Mutants, Refused int }

// check returns the IDs of the mutants that do not compile.
func check(root, pkg string, ms []mutant, exports map[string]string) (map[int]bool, error) {
	bad := map[int]bool{}
	for {
		var rest []mutant
		for _, m := range ms {
			if !bad[m.ID] {
				rest = append(rest, m)
			}
		}
		files, err := rewrite(root, pkg, rest)
		if err != nil {
			return nil, err
		}
		before := len(bad)
		fset := token.NewFileSet()
		var parsed []*ast.File
		for name, f := range files {
			for id := range f.unparsed {
				bad[id] = true
			}
			p, err := parser.ParseFile(fset, name, f.text, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			parsed = append(parsed, p)
		}
		conf := types.Config{
			Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }),
			Error: func(err error) {
				pos := fset.Position(err.(types.Error).Pos)
				id := files[pos.Filename].mutantAt(pos.Offset)
				if id == 0 {
					fmt.Fprintln(os.Stderr, "mutants:", err)
				}
				bad[id] = true
			},
		}
		conf.Check(modulePath+"/"+pkg, fset, parsed, nil)
		if bad[0] {
			return nil, fmt.Errorf("%s: an error outside of all mutants", pkg)
		}
		if len(bad) == before {
			return bad, nil
		}
	}
}

func exportsOf(root string) (map[string]string, error) {
	args := []string{"list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", "./internal/mutant"}
	for _, pkg := range packages {
		args = append(args, "./"+pkg)
	}
	out, err := command(root, "GOWORK=", "go", args...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, line := range strings.Split(out, "\n") {
		if path, file, ok := strings.Cut(line, " "); ok {
			exports[path] = file
		}
	}
	return exports, nil
}

func copyTree(root, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	out, err := command(root, "GOWORK=", "git", "ls-files", "-z")
	if err != nil {
		return err
	}
	for _, name := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := copyFile(filepath.Join(root, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return write(to, string(text))
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

func writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	return write(name, string(text)+"\n")
}

// command runs a program and returns its output.
func command(dir, env, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-vet=off -buildvcs=false", env)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), nil
}
