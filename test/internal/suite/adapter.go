// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/consumer"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Adapter changes the tests of a module for the second run of a suite. In this run, a package
// of Dovetail answers the tests' requests, instead of a server or recorded answers.
type Adapter struct {
	Module string // the module with the tests
	Edits  []edit // the edits of the module's test files
	// Helper is the name of a file in the folder adapters. place copies it next to each edited
	// file.
	Helper string
}

//go:embed adapters/*.txt
var answers embed.FS

// ownModules are the modules of this repository that adapters use.
var ownModules = []string{"kube", "kube/crd", "kube/gate"}

// place copies the module to the folder work and edits the copy. It changes the file
// consumer.Modfile in dir, so that the copy replaces the module. It also adds ownModules to
// this file.
func (a *Adapter) place(dir, engine, work string) error {
	source, err := gocmd.DownloadFor(dir, a.Module)
	if err != nil {
		return err
	}
	copied := filepath.Join(work, "adapted")
	if err := consumer.Copy(source, copied, nil); err != nil {
		return err
	}
	if _, err := change(copied, a.Edits); err != nil {
		return fmt.Errorf("%s: %w", a.Module, err)
	}
	helper, err := answers.ReadFile("adapters/" + a.Helper)
	if err != nil {
		return err
	}
	for _, e := range a.Edits {
		beside := filepath.Join(copied, filepath.FromSlash(e.file))
		f, err := parseFile(beside)
		if err != nil {
			return err
		}
		text := bytes.Replace(helper, []byte("package adapters"), []byte("package "+f.file.Name.Name), 1)
		if err := os.WriteFile(filepath.Join(filepath.Dir(beside), "dovetail_adapter_test.go"), text, 0o644); err != nil {
			return err
		}
	}

	modfile := filepath.Join(dir, consumer.Modfile)
	mod, err := os.ReadFile(modfile)
	if err != nil {
		return err
	}
	mod = fmt.Appendf(mod, "\nreplace %s => %q\n", a.Module, copied)
	dirs := []string{dir, engine}
	for _, name := range ownModules {
		at := filepath.Join(engine, filepath.FromSlash(name))
		mod = fmt.Appendf(mod, "\nrequire %s/%s v0.0.0\n\nreplace %[1]s/%[2]s => %q\n", repo.Module, name, at)
		dirs = append(dirs, at)
	}
	if err := os.WriteFile(modfile, mod, 0o644); err != nil {
		return err
	}
	sums, err := consumer.Sums(dirs...)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, consumer.Sumfile), sums, 0o644)
}
