// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package consumer builds a Go module that uses structured-merge-diff, with Dovetail in its
// place. It does not change the module.
//
// Consumers are files in test/consumers: NAME.mod and NAME.sum, which become the go.mod and
// go.sum of a module without packages. The module pins a release of another project, whose
// packages are built and tested from the module cache. The comment at the start of NAME.mod
// lists those packages.
package consumer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Modfile is the file that Replace writes, for go's flag -modfile.
const Modfile = "dovetail.mod"

// Sumfile has the checksums for Modfile.
const Sumfile = "dovetail.sum"

// Place writes a consumer of the repository in root to the folder dir. There go.mod builds it
// with structured-merge-diff, and Modfile builds it with the engine in the folder engine.
func Place(dir, name string, major repo.Major, root, engine string) error {
	if err := Write(dir, name, root); err != nil {
		return err
	}
	if err := move(filepath.Join(Dir(root), name+".moved.json"), dir, major); err != nil {
		return err
	}
	return Replace(dir, dir, major, root, engine)
}

// Dir returns the folder of the consumers of the repository in root.
func Dir(root string) string { return filepath.Join(root, "test", "consumers") }

// Write writes go.mod and go.sum of a consumer to the folder dir, which it creates.
func Write(dir, name, root string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, suffix := range []string{".mod", ".sum"} {
		text, err := os.ReadFile(filepath.Join(Dir(root), name+suffix))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "go"+suffix), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Tidy runs go mod tidy for a consumer with the packages in the comment at the start of its
// file, and rewrites its files.
func Tidy(name, root string) error {
	dir, err := os.MkdirTemp("", "dovetail-consumer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := Write(dir, name, root); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut(string(mod), "\nmodule ")
	_, packages, found := strings.Cut(head, "// Packages:\n")
	if !found {
		return fmt.Errorf("%s.mod lists no packages at its start", name)
	}
	// Some names are commands, which cannot be imported, but go mod tidy accepts that.
	source := "package consumer\n\nimport (\n"
	for line := range strings.Lines(packages) {
		source += "\t_ " + strconv.Quote(strings.TrimSpace(strings.TrimPrefix(line, "//"))) + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "packages.go"), []byte(source+")\n"), 0o644); err != nil {
		return err
	}
	if _, err := gocmd.With([]string{"GOTOOLCHAIN=auto"}, dir, "mod", "tidy"); err != nil {
		return err
	}
	for _, suffix := range []string{".mod", ".sum"} {
		text, err := os.ReadFile(filepath.Join(dir, "go"+suffix))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(Dir(root), name+suffix), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Replace writes Modfile and Sumfile into the folder to. These are the go.mod and go.sum of the
// module in dir, with two replacements. They replace a major version of structured-merge-diff
// with its shim in the repository root, and the shim's engine with the module in the folder
// engine. Run the go command with -mod=mod, because it may add lines to them.
func Replace(dir, to string, major repo.Major, root, engine string) error {
	shim := filepath.Join(root, "compat", major.Name)
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	// With an existing replacement, both engines would be Dovetail.
	if ours := regexp.MustCompile(regexp.QuoteMeta(major.Path) + `[^\n]*=>[^\n]*/compat/`).Find(mod); ours != nil {
		return fmt.Errorf("%s is already replaced in %s (%s): remove that first, or use the original module", major.Path, filepath.Join(dir, "go.mod"), ours)
	}
	if err := os.WriteFile(filepath.Join(to, Modfile), mod, 0o644); err != nil {
		return err
	}
	if _, err := gocmd.With(major.Env(), to, "mod", "edit", "-require="+repo.Module+"@v0.0.0",
		"-replace="+major.Path+"="+shim, "-replace="+repo.Module+"="+engine, Modfile); err != nil {
		return err
	}
	sums, err := Sums(dir, shim, engine)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, Sumfile), sums, 0o644)
}

// Sums returns the checksums of several modules together. A module may have none.
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

// Copy copies the regular files below from for which keep returns true, given their relative
// path, and makes them writable. A nil keep copies all.
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
