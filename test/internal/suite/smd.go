// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/consumer"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// runOwn runs structured-merge-diff's own tests: first unchanged, and then with Dovetail's
// drop-in for the same major version. For the second run, it creates a module from the drop-in
// and from copies of structured-merge-diff's test files and internal packages. adapt changes
// some of these test files.
func (s Suite) runOwn(root, engine, work string) (*Verdict, error) {
	major := s.Major
	listed, err := Listed(root, s.Name)
	if err != nil {
		return nil, err
	}
	source, err := gocmd.Download(major.Module())
	if err != nil {
		return nil, err
	}

	plain := filepath.Join(work, "upstream")
	if err := consumer.Copy(source, plain, nil); err != nil {
		return nil, err
	}
	base, err := goTest(plain, filepath.Join(work, "upstream.json"), major.Path+"/", nil, "./...")
	if err != nil {
		return nil, err
	}

	overlay := filepath.Join(work, "overlay")
	if err := createModule(major, root, source, engine, overlay); err != nil {
		return nil, err
	}
	dropped, err := adapt(overlay)
	if err != nil {
		return nil, err
	}
	ours, err := goTest(overlay, filepath.Join(work, "overlay.json"), major.Path+"/", nil, "-mod=mod", "./...")
	if err != nil {
		return nil, err
	}
	return Compare(s.Name, base, ours, dropped, listed), nil
}

var goLine = regexp.MustCompile(`(?m)^go .*$`)

// createModule creates a module with the tests of structured-merge-diff, in which Dovetail's
// drop-in replaces the packages.
func createModule(major repo.Major, root, source, engine, overlay string) error {
	public := func(rel string) bool {
		for _, p := range repo.Packages {
			if strings.HasPrefix(filepath.ToSlash(rel), p+"/") {
				return true
			}
		}
		return false
	}
	err := consumer.Copy(source, overlay, func(rel string) bool {
		return !public(rel) || strings.HasSuffix(rel, "_test.go")
	})
	if err != nil {
		return err
	}
	shim := filepath.Join(root, "compat", major.Name)
	if err := consumer.Copy(shim, overlay, func(rel string) bool { return strings.HasSuffix(rel, ".go") }); err != nil {
		return err
	}

	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	if major.Toolchain == "" { // the engine may require a newer Go than structured-merge-diff
		mod = goLine.ReplaceAll(mod, []byte("go 1.24.0"))
	}
	mod = fmt.Appendf(mod, "\nrequire %s v0.0.0\n\nreplace %s => %q\n", repo.Module, repo.Module, engine)
	sums, err := consumer.Sums(source, engine)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(overlay, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(overlay, "go.sum"), sums, 0o644)
}
