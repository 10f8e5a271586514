// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Mutants makes small changes in the code, and counts the changes for which a test of the
// module fails.
//
//	go run ./cmd/mutants                            # a sample of 1,520, an hour or two of CPU
//	go run ./cmd/mutants -work A                    # the same, results in the folder A
//	go run ./cmd/mutants -again A -work B           # the survivors, in the current code
//	go run ./cmd/mutants -report -again A -work B   # writes mutation/RESULTS.md of both
//
// Gremlins finds the mutants. It would build and test the module for each mutant, which takes
// half a minute. This command builds all mutants of the sample at once. It adds a copy of the
// function for each mutant. A switch at the start of the function calls the copy that an
// environment variable selects. The command runs only tests that reach the changed line, and
// starts with the fast tests.
//
// The sample takes mutants from each package in proportion to its lines, in random order.
// Mutants that do not compile are skipped.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// packages are the mutated packages, sorted by path.
var packages []string

// forTests matches packages that only tests use, and the model, which spec/cmd/model-mutants
// mutates.
var forTests = regexp.MustCompile(`^(internal/(allocs|fixture|repocheck)|spec)(/|$)`)

// findPackages lists all packages of the module in root, except those for tests.
func findPackages(root string) error {
	out, err := gocmd.Output(root, "list", "./...")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(out)) {
		if pkg, ok := strings.CutPrefix(name, modulePath+"/"); ok && !forTests.MatchString(pkg) {
			packages = append(packages, pkg)
		}
	}
	return nil
}

// every is longer than the duration of any test.
const every = 1e9

const modulePath = "github.com/dovetail-ssa/dovetail"

type options struct {
	n       int
	seed    uint64
	workers int
	heavy   float64
	work    string // contains clean, the module, and tree, the module with all mutants
	root    string // the root of the repository
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 1520, "number of mutants")
	flag.Uint64Var(&o.seed, "seed", 1, "decides which")
	flag.IntVar(&o.workers, "workers", 2, "number of mutants to run at a time")
	flag.Float64Var(&o.heavy, "heavy", every, "skip tests that take more seconds of CPU than this")
	flag.StringVar(&o.work, "work", filepath.Join(os.TempDir(), "dovetail-mutants"), "where copies of the repository and results are kept; a run goes on where the last one in the same folder stopped")
	report := flag.Bool("report", false, "write mutation/RESULTS.md")
	again := flag.String("again", "", "a folder of -work: run its survivors in the current code")
	flag.Parse()
	if err := run(o, *report, *again); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(o options, report bool, again string) error {
	var err error
	if o.root, err = repo.Root(); err != nil {
		return err
	}
	if err := findPackages(o.root); err != nil {
		return err
	}
	if report {
		return writeReport(o, again)
	}
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	sample, err := prepare(o, again)
	if err != nil {
		return err
	}
	tests, err := coverage(o)
	if err != nil {
		return err
	}
	return kill(o, sample, tests)
}
