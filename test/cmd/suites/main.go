// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command runs the tests of other projects twice, with structured-merge-diff and with Dovetail's
// drop-in for it, and compares the results.
//
//	go run ./cmd/suites [flags] suite...
//
// Without arguments it lists the suites.
//
// The source of the projects comes from the module cache. The command changes only copies in a
// temporary folder. It fails if a test fails only with Dovetail and DIFFERENCES.md does not
// list the test. It also fails if a listed difference no longer occurs.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
	"github.com/dovetail-ssa/dovetail/test/internal/standin"
	"github.com/dovetail-ssa/dovetail/test/internal/suite"
)

var (
	keep    = flag.String("keep", "", "work in this `directory` and keep it (default: a temporary one)")
	engine  = flag.String("engine", "", "`directory` of the engine's module (default: this repository)")
	standIn = flag.Bool("standin", false, "use structured-merge-diff itself as the engine, to check the runner")
)

func main() {
	flag.Parse()
	if flag.NArg() == 0 {
		for _, s := range suite.Suites {
			fmt.Printf("%-20s %s\n", s.Name, s.Doc)
		}
		return
	}
	ok, err := run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(names []string) (ok bool, err error) {
	root, err := repo.Root()
	if err != nil {
		return false, err
	}
	work := *keep
	if work == "" {
		if work, err = os.MkdirTemp("", "dovetail-suites-"); err != nil {
			return false, err
		}
		defer os.RemoveAll(work)
	} else if work, err = filepath.Abs(work); err != nil {
		return false, err
	}

	ok = true
	for _, name := range names {
		dir := filepath.Join(work, name)
		if err := os.RemoveAll(dir); err != nil {
			return false, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return false, err
		}
		v, err := runSuite(name, root, dir)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		v.Write(os.Stdout)
		ok = ok && v.OK()
	}
	return ok, nil
}

func runSuite(name, root, work string) (*suite.Verdict, error) {
	s, err := suite.Find(name)
	if err != nil {
		return nil, err
	}
	engine, err := engineDir(root, work)
	if err != nil {
		return nil, err
	}
	return s.Run(root, engine, work)
}

func engineDir(root, work string) (string, error) {
	switch {
	case *standIn:
		dir := filepath.Join(work, "engine")
		// In Dovetail, the v4 drop-in uses an engine that has the API of v6. Do the same here.
		return dir, standin.Write(repo.V6, dir)
	case *engine != "":
		return filepath.Abs(*engine)
	}
	return root, nil
}
