// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// goMod is the go.mod file for the copy of the spec module from which the program is built. It
// names the same module, so that the packages keep their import paths.
const goMod = "module github.com/dovetail-ssa/dovetail/spec\n\ngo 1.24\n"

// chooser is the source of a file that is added to package model. It contains the function that
// selects the change to run.
const chooser = `package model

var mutant, steps int

// Choose makes the model run a mutant, and resets the count of its steps.
func Choose(id int) { mutant, steps = id, 0 }

func step() {
	if steps++; mutant != 0 && steps > 200000 {
		panic("does not end")
	}
}
`

// runner is the source of the program that runs the mutants. Each line of its input contains the
// number of a mutant and the cases to run. For example, "7 all" runs all cases, "7 first" runs
// all cases up to the first one that fails, and "7 NAME NAME …" runs only the cases with these
// names, also up to the first one that fails. The program answers each line with the number of
// the mutant and the names of the cases that failed: "7 NAME NAME …".
const runner = `package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

func main() {
	groups, err := cases.All()
	if err != nil {
		panic(err)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		words := strings.Fields(in.Text())
		id, _ := strconv.Atoi(words[0])
		var failed []string
	mutant:
		for _, g := range groups {
			for _, c := range g.Cases {
				if words[1] != "all" && words[1] != "first" && !slices.Contains(words[1:], c.Name) {
					continue
				}
				if !passes(id, g, c) {
					failed = append(failed, c.Name)
					if words[1] != "all" {
						break mutant
					}
				}
			}
		}
		fmt.Println(id, strings.Join(failed, " "))
	}
}

func passes(id int, g cases.Group, c cases.Case) (ok bool) {
	defer func() {
		model.Choose(0)
		if recover() != nil {
			ok = false
		}
	}()
	model.Choose(id)
	m, err := g.Model()
	if err != nil {
		return false
	}
	got := m.Answer(c)
	model.Choose(0)
	return c.Want.Wrong(got) == ""
}
`

// Program runs the test cases with one change at a time. Build determines the changes.
type Program struct {
	dir     string
	changes []Change
	// Refused holds the indices of the changes that do not compile.
	Refused map[int]bool
}

// Build builds a program from the model and the changes. The spec argument is the path of the
// "spec" folder. The caller must call Close, which deletes the program.
func Build(spec string, changes []Change) (*Program, error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	p := &Program{dir, changes, map[int]bool{}}
	if err := p.build(spec); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close deletes the program.
func (p *Program) Close() { _ = os.RemoveAll(p.dir) } // it is a temporary folder, so an error is harmless

func (p *Program) build(spec string) error {
	if err := os.CopyFS(filepath.Join(p.dir, "cases"), os.DirFS(filepath.Join(spec, "cases"))); err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": goMod, "model/mutant.go": chooser, "main.go": runner} {
		if err := p.write(name, text); err != nil {
			return err
		}
	}
	sources, err := Sources(spec)
	if err != nil {
		return err
	}
	for {
		at, built := map[string]rewritten{}, map[int]bool{}
		for name, src := range sources {
			kept := slices.Clone(p.changes)
			for i := range kept {
				if p.Refused[i] {
					kept[i] = Change{}
				}
			}
			r, err := rewrite(name, src, kept)
			if err != nil {
				return err
			}
			for _, id := range r.unparsed {
				p.Refused[id-1] = true
			}
			at[name] = r
			for _, s := range r.copies {
				built[s.id-1] = true
			}
			if err := p.write("model/"+name, r.text); err != nil {
				return err
			}
		}
		cmd := exec.Command("go", "build", "-gcflags=-e", "-o", "run", ".")
		cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err == nil {
			for i := range p.changes { // a change that is not inside a function cannot be built
				p.Refused[i] = !built[i]
			}
			return nil
		}
		before := len(p.Refused)
		for _, m := range regexp.MustCompile(`(?m)^model/(\w+\.go):(\d+):`).FindAllStringSubmatch(string(out), -1) {
			line, _ := strconv.Atoi(m[2]) // the regular expression matches only digits, so there is no error
			for _, s := range at[m[1]].copies {
				if s.from <= line && line <= s.to {
					p.Refused[s.id-1] = true
				}
			}
		}
		if len(p.Refused) == before {
			return fmt.Errorf("building the mutants: %w\n%s", err, out)
		}
	}
}

func (p *Program) write(name, text string) error {
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// Run runs test cases with some of the changes, and returns the names of the cases that failed.
// In both maps, the key is the index of a change. The argument says which cases to run with a
// change: "all" for all cases, "first" for all cases up to the first one that fails, or the names
// of some cases, separated by spaces. Cases that are selected by name also run only up to the
// first one that fails.
func (p *Program) Run(which map[int]string) (map[int][]string, error) {
	var in bytes.Buffer
	for _, i := range slices.Sorted(maps.Keys(which)) {
		fmt.Fprintln(&in, i+1, which[i])
	}
	cmd := exec.Command(filepath.Join(p.dir, "run"))
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	failed := map[int][]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		id, err := strconv.Atoi(words[0])
		if err != nil {
			return nil, err
		}
		failed[id-1] = words[1:]
	}
	return failed, lines.Err()
}

// Sources returns the contents of the model's source files by file name. The argument is the
// path of the "spec" folder.
func Sources(module string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(module, "model", "*.go"))
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		all[filepath.Base(f)] = string(text)
	}
	return all, nil
}
