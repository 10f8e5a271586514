// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

const root = "github.com/dovetail-ssa/dovetail"

// published are the folders of the released modules. Each module comes after the modules that
// it requires.
var published = []string{
	".", "kube", "gen", "kube/crd", "kube/policy", "kube/testserver", "kube/gate", "cmd", "compat/v4", "compat/v6", "compat/v7",
	"kube/native/engine", "kube/native/1.35", "kube/native/1.36", "kube/native/1.37",
}

// released is a module in the folder dir, with its new version.
type released struct {
	dir string
	module.Version
}

// prerelease matches the prerelease part of a version, and allows only forms that Python's PEP
// 440 also has.
var prerelease = regexp.MustCompile(`^(-(alpha|beta|rc)\.\d+)?$`)

// modules returns the modules to release for a version of Dovetail, each with its own version.
func modules(version string) ([]released, error) {
	if semver.Canonical(version) != version || semver.Major(version) > "v1" || !prerelease.MatchString(semver.Prerelease(version)) {
		return nil, fmt.Errorf("version %q: want one like v0.2.0 or v0.2.0-rc.1", version)
	}
	var all []released
	for _, dir := range published {
		m := released{dir, module.Version{Path: root, Version: version}}
		if dir != "." {
			m.Path += "/" + dir
		}
		if _, major, ok := module.SplitPathVersion(m.Path); ok && major != "" {
			// For v0.2.1, the drop-in of v6 gets v6.2.1.
			_, rest, _ := strings.Cut(version, ".")
			m.Version.Version = strings.TrimPrefix(major, "/") + "." + rest
		}
		if err := module.Check(m.Path, m.Version.Version); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// tag returns the tag in the repository for this version of the module.
func (m released) tag() string {
	if m.dir == "." {
		return m.Version.Version
	}
	prefix, _, _ := module.SplitPathVersion(m.dir)
	return prefix + "/" + m.Version.Version
}

// prepare writes a version to the go.mod and go.sum files of all released modules in a tree.
// It also changes the modules that require them, and go.work.
func prepare(tree, version string) error {
	all, err := modules(version)
	if err != nil {
		return err
	}
	versions := map[string]string{}
	for _, m := range all {
		versions[m.Path] = m.Version.Version
	}
	// A go.work file is part of its module, so change it before the hash of the module is computed.
	for _, m := range all {
		file := filepath.Join(tree, m.dir, "go.work")
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if err := prepareWorkspace(file, version); err != nil {
			return err
		}
	}
	sums := map[string][]string{} // lines of go.sum, by module path
	for _, m := range all {
		file := filepath.Join(tree, m.dir, "go.mod")
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		f, err := modfile.Parse(file, data, nil)
		if err != nil {
			return err
		}
		for _, r := range slices.Clone(f.Replace) {
			if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return err
			}
		}
		var lines []string
		for _, r := range slices.Clone(f.Require) {
			if v := versions[r.Mod.Path]; v != "" {
				if err := f.AddRequire(r.Mod.Path, v); err != nil {
					return err
				}
				lines = append(lines, sums[r.Mod.Path]...)
			}
		}
		f.Cleanup()
		if data, err = f.Format(); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
		if err := addSums(filepath.Join(tree, m.dir, "go.sum"), lines); err != nil {
			return err
		}
		if sums[m.Path], err = hashes(tree, m); err != nil {
			return err
		}
	}
	return nil
}

// addSums replaces the lines for this repository's modules in a go.sum file.
func addSums(file string, lines []string) error {
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, root) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil // the module requires no other module, so it has no go.sum
	}
	slices.Sort(lines)
	return os.WriteFile(file, []byte(strings.Join(slices.Compact(lines), "\n")+"\n"), 0o644)
}

// hashes returns the lines of go.sum for a module.
func hashes(tree string, m released) ([]string, error) {
	f, err := os.CreateTemp("", "module-*.zip")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	if err := zip.CreateFromDir(f, m.Version, filepath.Join(tree, m.dir)); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	sum, err := dirhash.HashZip(f.Name(), dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(tree, m.dir, "go.mod"))
	})
	if err != nil {
		return nil, err
	}
	return []string{
		fmt.Sprintf("%s %s %s", m.Path, m.Version.Version, sum),
		fmt.Sprintf("%s %s/go.mod %s", m.Path, m.Version.Version, mod),
	}, nil
}

// prepareWorkspace changes the replacements in a go.work file, so that the workspace provides
// the modules in the given version.
func prepareWorkspace(file, version string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(f.Replace) {
		path, dir := r.Old.Path, r.New.Path // copy both, because DropReplace clears them
		if !strings.HasPrefix(path, root) {
			continue
		}
		if err := f.DropReplace(path, r.Old.Version); err != nil {
			return err
		}
		if err := f.AddReplace(path, version, dir, ""); err != nil {
			return err
		}
	}
	f.Cleanup()
	return os.WriteFile(file, modfile.Format(f.Syntax), 0o644)
}
