// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Toolchain is the version of Go that builds and runs the generators. It is the newest version
// that any project requires.
const Toolchain = "go1.27.4"

// Tools are the programs of the two generators.
type Tools struct{ dir, ours, theirs string }

// Build builds both generators into the folder dir. It uses the versions that the module in the
// current folder requires.
func Build(dir string) (*Tools, error) {
	t := &Tools{dir, filepath.Join(dir, "dovetail-gen"), filepath.Join(dir, "controller-gen")}
	for program, pkg := range map[string]string{
		t.ours:   "github.com/dovetail-ssa/dovetail/gen/cmd/dovetail-gen",
		t.theirs: "sigs.k8s.io/controller-tools/cmd/controller-gen",
	} {
		if r := run(".", "go", "build", "-o", program, pkg); r.Err != nil {
			return nil, r.failed()
		}
	}
	return t, nil
}

// Versions returns the versions of controller-gen and Go as text.
func (t *Tools) Versions() string {
	r := run(".", t.theirs, "--version")
	return "controller-gen " + strings.TrimPrefix(strings.TrimSpace(r.Stdout), "Version: ") + ", " + Toolchain
}

// Ran is the result of running a program.
type Ran struct {
	Err    error
	Status int
	Stdout string
	Stderr string
	CPU    time.Duration
	what   string
}

func (r *Ran) failed() error { return fmt.Errorf("%s: %w:\n%s", r.what, r.Err, r.Stderr) }

func run(dir, name string, args ...string) *Ran {
	c := exec.Command(name, args...)
	c.Dir = dir
	mod := "mod" // the go command may update the go.mod and go.sum of the new module
	if dir == "." {
		mod = "readonly"
	}
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod="+mod, "GOTOOLCHAIN="+Toolchain)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	r := &Ran{Err: err, Stdout: stdout.String(), Stderr: stderr.String(), what: name + " " + strings.Join(args, " ")}
	if s := c.ProcessState; s != nil {
		r.Status, r.CPU = s.ExitCode(), s.UserTime()+s.SystemTime()
	}
	return r
}

// Output is the output of both generators for one project: the CRDs by file name, and how the
// programs ended.
type Output struct {
	Project *Project
	// Ours has dovetail-gen's CRDs without the defaults that follow from Go types, because
	// controller-gen does not write such defaults. Implied has dovetail-gen's CRDs with these
	// defaults.
	Ours, Implied, Theirs map[string][]byte
	Ran                   struct{ Ours, Theirs *Ran }
	CPU                   struct{ Ours, Theirs time.Duration }
}

// Generate creates a module that requires the modules of the project, and runs both generators in
// it. If a generator fails, its error is part of the Output.
func (t *Tools) Generate(p *Project) (*Output, error) {
	dir := filepath.Join(t.dir, p.Name)
	if err := scratch(dir, p); err != nil {
		return nil, err
	}
	o := &Output{Project: p}
	ours := []string{"--defaults=false", "--openapi=false", "--openapi-json="}
	o.Ran.Ours = run(dir, t.ours, append(append(ours, "--crds=ours", "--implied-defaults=false"), p.Packages...)...)
	implied := run(dir, t.ours, append(append(ours, "--crds=implied"), p.Packages...)...)
	if implied.Status != o.Ran.Ours.Status {
		return nil, fmt.Errorf("dovetail-gen exits with status %d, and with status %d if there are no implied defaults:\n%s", implied.Status, o.Ran.Ours.Status, implied.Stderr)
	}
	theirs := []string{strings.Join(append([]string{"crd"}, colons(append(Options, p.Options...))...), ""), "output:crd:dir=theirs"}
	for _, pattern := range p.Packages {
		theirs = append(theirs, "paths="+pattern)
	}
	o.Ran.Theirs = run(dir, t.theirs, theirs...)
	o.CPU.Ours, o.CPU.Theirs = o.Ran.Ours.CPU, o.Ran.Theirs.CPU
	for name, into := range map[string]*map[string][]byte{"ours": &o.Ours, "implied": &o.Implied, "theirs": &o.Theirs} {
		var err error
		if *into, err = readDir(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// colons adds a separator before each option of a generator. For example, the options "a=1" and
// "b=2" become ":a=1" and ",b=2".
func colons(options []string) (out []string) {
	for i, o := range options {
		if i == 0 {
			out = append(out, ":"+o)
		} else {
			out = append(out, ","+o)
		}
	}
	return out
}

// scratch creates a module for the project in the folder dir.
func scratch(dir string, p *Project) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	mod := "module beside\n\ngo 1.27.0\n"
	for _, r := range p.Replace {
		from, to, _ := strings.Cut(r, "=")
		mod += fmt.Sprintf("\nreplace %s => %s\n", from, strings.Replace(to, "@", " ", 1))
	}
	for _, m := range p.Modules {
		mod += "\nrequire " + strings.Replace(m, "@", " ", 1) + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return err
	}
	// This command downloads the packages and writes go.sum.
	if r := run(dir, "go", append([]string{"list", "-deps"}, p.Packages...)...); r.Err != nil {
		return r.failed()
	}
	return nil
}

func readDir(dir string) (map[string][]byte, error) {
	all := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if os.IsNotExist(err) {
			return all, nil
		}
		return nil, err
	}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return all, nil
}
