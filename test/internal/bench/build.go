// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/dovetail-ssa/dovetail/test/internal/consumer"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Binary is a program that contains one of the engines.
type Binary struct {
	Engine string // the engine in the program: "upstream" or "dovetail"
	Path   string
	Dir    string // working folder
}

// Run runs one test of the binary and returns its output.
func (b Binary) Run(test string) ([]byte, error) {
	cmd := exec.Command(b.Path, "-test.run=^"+test+"$", "-test.v", "-test.timeout=0")
	cmd.Dir = b.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("with %s: %w\n%s", b.Engine, err, out)
	}
	return out, nil
}

// Build builds the tests of a package with structured-merge-diff and again with another engine.
// The arguments engine and module are the folders of that engine and of the module with the
// package. Build does not modify the module. It writes the programs, and a go.mod file for each
// engine, to the folder in the argument work.
func Build(work, root, engine, module, pkg string) ([]Binary, error) {
	return build(work, root, engine, module, pkg, "test", "-c", "-vet=off")
}

// BuildCommand is like Build, for a package that is a command. It uses the given build tags.
func BuildCommand(work, root, engine, module, pkg, tags string) ([]Binary, error) {
	return build(work, root, engine, module, pkg, "build", "-tags="+tags)
}

func build(work, root, engine, module, pkg string, command ...string) ([]Binary, error) {
	for _, suffix := range []string{".mod", ".sum"} {
		text, err := os.ReadFile(filepath.Join(module, "go"+suffix))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(work, "upstream"+suffix), text, 0o644); err != nil {
			return nil, err
		}
	}
	if err := consumer.Replace(module, work, repo.V6, root, engine); err != nil {
		return nil, err
	}
	binaries := []Binary{{Engine: "upstream"}, {Engine: "dovetail"}}
	for i, modfile := range []string{"upstream.mod", consumer.Modfile} {
		b := &binaries[i]
		b.Path, b.Dir = filepath.Join(work, b.Engine+".test"), filepath.Join(module, pkg)
		args := append(slices.Clone(command), "-mod=mod", "-modfile="+filepath.Join(work, modfile), "-o", b.Path, pkg)
		if _, err := gocmd.Output(module, args...); err != nil {
			return nil, err
		}
	}
	return binaries, nil
}
