// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package consumer puts our engine under a Go module that uses
// structured-merge-diff, without changing that module.
package consumer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/dovetail-ssa/dovetail/conformance/internal/repo"
)

// Modfile is the file that Replace writes, for go's -modfile.
const Modfile = "dovetail.mod"

// Sumfile has the checksums for Modfile.
const Sumfile = "dovetail.sum"

// Place makes a copy in dir of a module below conformance/consumer of the
// repository in root, to be built over structured-merge-diff as it is, and over
// the engine in the directory engine with Modfile.
func Place(dir, name string, major repo.Major, root, engine string) error {
	if err := Copy(filepath.Join(root, "conformance", "consumer", name), dir, nil); err != nil {
		return err
	}
	if err := move(dir, major); err != nil {
		return err
	}
	return Replace(dir, major, root, engine)
}

// Replace writes Modfile into a module's directory: its go.mod, with
// a major version of structured-merge-diff replaced by its shim of the
// repository in root and the shim's engine by the module in engine. The
// checksums go beside it. The go command has to be run with -mod=mod, for it
// may have lines to add.
func Replace(dir string, major repo.Major, root, engine string) error {
	shim := filepath.Join(root, "compat", major.Name)
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	// Over a replacement both engines would be ours.
	if ours := regexp.MustCompile(regexp.QuoteMeta(major.Path) + `[^\n]*=>[^\n]*/compat/`).Find(mod); ours != nil {
		return fmt.Errorf("%s is replaced in %s already (%s): take that out first, or name the module of before", major.Path, filepath.Join(dir, "go.mod"), ours)
	}
	mod = fmt.Appendf(mod, "\nrequire %s v0.0.0\n\nreplace %s => %q\n\nreplace %s => %q\n",
		repo.Module, major.Path, shim, repo.Module, engine)
	if err := os.WriteFile(filepath.Join(dir, Modfile), mod, 0o644); err != nil {
		return err
	}
	sums, err := Sums(dir, shim, engine)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, Sumfile), sums, 0o644)
}

// Sums returns the checksums of several modules together. A module may have
// none.
func Sums(dirs ...string) ([]byte, error) {
	var sums []byte
	for _, dir := range dirs {
		sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		sums = append(sums, sum...)
	}
	return sums, nil
}

// Copy copies the regular files below from that keep wants, given by their
// path relative to it, and makes them writable. A nil keep wants all.
func Copy(from, to string, keep func(rel string) bool) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if !d.Type().IsRegular() || keep != nil && !keep(rel) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}
