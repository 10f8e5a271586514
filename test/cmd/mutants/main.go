// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command makes small changes to the code of the module, and counts the changes that make a
// test fail. A changed copy of the code is called a mutant. A mutant that passes all tests is
// a survivor.
//
//	go run ./cmd/mutants                            # run a sample of 1,520 mutants, an hour or two of CPU
//	go run ./cmd/mutants -work A                    # the same, and keep the results in the folder A
//	go run ./cmd/mutants -again A -work B           # run the survivors of A in the current code
//	go run ./cmd/mutants -report -again A -work B   # write mutation/RESULTS.md from the results in A and B
//
// The tool gremlins lists the mutants. It could also run them, but it builds and tests the
// module for each mutant, which takes half a minute. This command builds all mutants of the
// sample at once: for each mutant, it adds a changed copy of the function. An environment
// variable selects a mutant, and a switch at the start of the original function then calls
// that mutant's copy. The command runs only tests that reach the changed line, fast tests
// first.
//
// A package's share of the sample is proportional to its lines of code. The command draws the
// mutants at random, and skips mutants that do not compile.
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

// packages are the packages to mutate, sorted by path.
var packages []string

// forTests matches the packages that only tests use. It also matches spec/model, because
// spec/cmd/model-mutants already mutates that package.
var forTests = regexp.MustCompile(`^(internal/(allocs|fixture|repocheck)|spec)(/|$)`)

// findPackages lists the packages of the module in the folder root, except those that forTests
// matches.
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

// every is a time limit in seconds that is longer than any test, so it selects all tests.
const every = 1e9

const modulePath = "github.com/dovetail-ssa/dovetail"

type options struct {
	n       int
	seed    uint64
	workers int
	heavy   float64
	work    string // has two copies of the module: clean, without mutants, and tree, with all mutants
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
