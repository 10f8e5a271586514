// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Intree runs a test binary in a copy of the folder structure of Kubernetes' repository.
// Kubernetes' tests expect some files at fixed positions in this structure. Use intree with go
// test -exec:
//
//	INTREE=/some/directory go test -exec intree k8s.io/...
//
// For example, tests read api/openapi-spec/swagger.json seven folders up. The module zips do
// not contain this file. For a package of k8s.io in the module cache, intree creates
// $INTREE/staging/src/<package>, with links to the files of the package, and runs the binary
// there. The caller must create swagger.json in $INTREE. For any other package, intree only
// runs the binary.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: intree binary [arguments]")
		os.Exit(2)
	}
	code, err := run(os.Getenv("INTREE"), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "intree:", err)
		os.Exit(2)
	}
	os.Exit(code)
}

var version = regexp.MustCompile(`@[^/]*`)

func run(tree string, args []string) (int, error) {
	from, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if _, pkg, ok := strings.Cut(filepath.ToSlash(from), "/pkg/mod/k8s.io/"); ok {
		if !filepath.IsAbs(tree) {
			return 0, fmt.Errorf("INTREE is %q, want an absolute path", tree)
		}
		cmd.Dir = filepath.Join(tree, "staging", "src", "k8s.io", version.ReplaceAllString(pkg, ""))
		if err := link(from, cmd.Dir); err != nil {
			return 0, err
		}
		cmd.Env = append(os.Environ(), "PWD="+cmd.Dir)
	}
	err = cmd.Run()
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// link creates the folder dir, with links to the files of a package and to its folder testdata.
// It does not link other folders, because a later call for a package in a linked folder would
// write into the module cache.
func link(from, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			continue
		}
		err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name()))
		if err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}
