// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Histories sends random histories of typed objects through apimachinery's field manager
// over both engines and fails where managed fields, conflicts or objects differ, with the
// smallest history that shows it.
//
//	go run ./cmd/histories -n 2000 -seed 1
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/bench"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

func main() {
	n := flag.Uint64("n", 1000, "how many histories")
	seed := flag.Uint64("seed", 1, "the first one")
	flag.Parse()
	if err := run(*seed, *n); err != nil {
		fmt.Fprintln(os.Stderr, "histories:", err)
		os.Exit(1)
	}
}

// chunk is how many histories one process goes through.
const chunk = 500

func run(seed, n uint64) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "dovetail-histories-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	both, err := bench.BuildCommand(work, root, root, filepath.Join(root, "test"), "./bench/cmd/histories", "")
	if err != nil {
		return err
	}
	steps, done, conflicts := 0, 0, 0
	for from := seed; from < seed+n; from += chunk {
		texts, err := ask(both, from, min(chunk, seed+n-from), ^uint64(0))
		if err != nil {
			return err
		}
		lines := strings.Split(texts[0], "\n")
		steps += len(lines) - 1
		done += strings.Count(texts[0], " done: ")
		conflicts += strings.Count(texts[0], " conflicts ")
		if line, _ := firstDifference(texts); line != "" {
			var at uint64
			if _, err := fmt.Sscanf(line, "%d/", &at); err != nil {
				return fmt.Errorf("%q: %w", line, err)
			}
			return shrink(both, at)
		}
	}
	fmt.Printf("%d histories of typed objects, %d steps, %d done, %d with conflicts: the same over both engines\n", n, steps, done, conflicts)
	return nil
}

// ask returns what each engine makes of histories.
func ask(both []bench.Binary, seed, n, steps uint64) (texts [2]string, err error) {
	for i, b := range both {
		out, err := exec.Command(b.Path, fmt.Sprint("-seed=", seed), fmt.Sprint("-n=", n), fmt.Sprint("-steps=", steps)).CombinedOutput()
		if err != nil {
			return texts, fmt.Errorf("%s: %w\n%s", b.Engine, err, out)
		}
		texts[i] = string(out)
	}
	return texts, nil
}

// firstDifference returns the first lines that differ.
func firstDifference(texts [2]string) (theirs, ours string) {
	a, b := strings.Split(texts[0], "\n"), strings.Split(texts[1], "\n")
	for i := range a {
		if i >= len(b) {
			return a[i], ""
		}
		if a[i] != b[i] {
			return a[i], b[i]
		}
	}
	return "", ""
}

// shrink leaves out steps of a history as long as there is a difference.
func shrink(both []bench.Binary, seed uint64) error {
	steps := uint64(1<<8 - 1)
	var theirs, ours string
	for again := true; again; {
		again = false
		for i := range 8 {
			fewer := steps &^ (1 << i)
			if fewer == steps {
				continue
			}
			texts, err := ask(both, seed, 1, fewer)
			if err != nil {
				return err
			}
			if a, b := firstDifference(texts); a != b {
				steps, theirs, ours, again = fewer, a, b, true
			}
		}
	}
	if theirs == "" {
		texts, err := ask(both, seed, 1, steps)
		if err != nil {
			return err
		}
		theirs, ours = firstDifference(texts)
	}
	return fmt.Errorf("history %d differs, steps %b:\nupstream: %s\ndovetail: %s", seed, steps, theirs, ours)
}
