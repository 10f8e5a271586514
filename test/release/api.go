// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"
)

// api prints the exported names that were removed or changed since the last release. It fails
// if the rules in docs/releasing.md do not allow the version to remove or change them. If
// version is empty, it checks the rules for the next minor version.
func api(top, version string) error {
	tags, err := output(top, "git", "tag", "--list", "--merged", "HEAD", "v*")
	if err != nil {
		return err
	}
	last := lastRelease(strings.Fields(tags), version)
	if last == "" {
		fmt.Println("nothing is released yet: there is no API to compare with")
		return nil
	}
	old, err := os.MkdirTemp("", "dovetail-api-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(old)
	if err := copyCommit(top, old, last); err != nil {
		return err
	}
	lost, err := lostAPI(old, top, published)
	if err != nil {
		return err
	}
	broken := 0
	for _, pkg := range slices.Sorted(maps.Keys(lost)) {
		verdict := ", which is allowed in a minor version"
		if !mayBreak(pkg, last, version) {
			verdict = ", which is not allowed in this version"
			broken += len(lost[pkg])
		}
		for _, what := range lost[pkg] {
			fmt.Printf("%s: %s%s\n", pkg, what, verdict)
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d changes since %s break programs that the version promises not to break", broken, last)
	}
	return nil
}

// lastRelease returns the highest tag of the root module that is lower than version. If version
// is empty, it returns the highest tag.
func lastRelease(tags []string, version string) (last string) {
	for _, t := range tags {
		if semver.Canonical(t) == t && (version == "" || semver.Compare(t, version) < 0) && (last == "" || semver.Compare(t, last) > 0) {
			last = t
		}
	}
	return last
}

// promised are the packages with the API of structured-merge-diff. No version may break this
// API.
var promised = []string{"/value", "/schema", "/fieldpath", "/typed", "/merge", "/compat/"}

// mayBreak reports whether a version may break the API of a package. The argument last is the
// version of the last release. An empty version stands for the next minor version.
func mayBreak(pkg, last, version string) bool {
	in := strings.TrimPrefix(pkg, root)
	for _, p := range promised {
		if in == p || strings.HasPrefix(in, p) && strings.HasSuffix(p, "/") {
			return false
		}
	}
	return semver.Major(last) == "v0" && (version == "" || semver.MajorMinor(version) != semver.MajorMinor(last))
}

// lostAPI compares an old tree of the repository with the current one. For each package, the
// result describes the exported names that were removed, or changed in an incompatible way.
func lostAPI(old, now string, dirs []string) (map[string][]string, error) {
	before, err := exported(old, dirs)
	if err != nil {
		return nil, err
	}
	after, err := exported(now, dirs)
	if err != nil {
		return nil, err
	}
	lost := map[string][]string{}
	for path, pkg := range before {
		if after[path] == nil {
			lost[path] = []string{"the package was removed"}
			continue
		}
		for _, c := range apidiff.Changes(pkg, after[path]).Changes {
			if !c.Compatible {
				lost[path] = append(lost[path], c.Message)
			}
		}
	}
	return lost, nil
}

// exported returns the packages that other modules can import. dirs are the module folders in
// the tree.
func exported(tree string, dirs []string) (map[string]*types.Package, error) {
	all := map[string]*types.Package{}
	for _, dir := range dirs {
		config := &packages.Config{Dir: filepath.Join(tree, dir), Mode: packages.NeedName | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes}
		if _, err := os.Stat(filepath.Join(config.Dir, "go.mod")); os.IsNotExist(err) {
			continue
		}
		found, err := packages.Load(config, "./...")
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if len(p.Errors) > 0 {
				return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
			}
			if p.Name != "main" && !slices.Contains(strings.Split(p.PkgPath, "/"), "internal") {
				all[p.PkgPath] = p.Types
			}
		}
	}
	return all, nil
}
