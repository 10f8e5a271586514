// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package consumer prepares a Go module that uses structured-merge-diff, so that it builds
// with Dovetail instead. It does not change the files of the module.
//
// A consumer is a module without packages that pins a release of another project. Its go.mod
// and go.sum are the files NAME.mod and NAME.sum in test/consumers. Tests build and test
// packages of the project from the module cache. The comment at the start of NAME.mod lists
// these packages.
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

// Modfile is the file that Replace writes. Use it with the go command's flag -modfile.
const Modfile = "dovetail.mod"

// Sumfile has the checksums that belong to Modfile.
const Sumfile = "dovetail.sum"

// Place writes a consumer to the folder in the first argument. Builds in this folder use
// structured-merge-diff. With the flag -modfile=dovetail.mod, they use the engine in the folder
// of the last argument instead (see Modfile). The argument root is the root of the repository.
func Place(dir, name string, major repo.Major, root, engine string) error {
	if err := Write(dir, name, root); err != nil {
		return err
	}
	if err := move(filepath.Join(Dir(root), name+".moved.json"), dir, major); err != nil {
		return err
	}
	return Replace(dir, dir, major, root, engine)
}

// Dir returns the folder of the consumers. root is the root of the repository.
func Dir(root string) string { return filepath.Join(root, "test", "consumers") }

// Write creates the folder dir and writes the go.mod and go.sum of a consumer to it.
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

// Tidy runs go mod tidy for a consumer and writes the result to its files in test/consumers. It
// uses the packages in the comment at the start of NAME.mod.
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
	// Import all packages in one file. Some of them are commands, which cannot be imported, but
	// go mod tidy accepts this.
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

// Replace copies the go.mod and go.sum of one folder to Modfile and Sumfile in another folder,
// and adds two replacements to Modfile: the drop-in replaces structured-merge-diff, and the
// module in the folder of the last argument replaces the engine that the drop-in requires. Use
// the files with -mod=mod, because the go command may add lines to them.
func Replace(dir, to string, major repo.Major, root, engine string) error {
	shim := filepath.Join(root, "compat", major.Name)
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	// Fail if the module already uses a drop-in, because both builds would then use Dovetail.
	if ours := regexp.MustCompile(regexp.QuoteMeta(major.Path) + `[^\n]*=>[^\n]*/compat/\S*`).Find(mod); ours != nil {
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

// Sums returns the lines of the go.sum files in several folders. It ignores missing files.
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

// Copy copies the regular files of one folder to another, and makes them writable. The last
// argument selects the files by their path relative to the folder. If it is nil, Copy copies all
// files.
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
