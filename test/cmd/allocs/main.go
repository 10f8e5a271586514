// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Allocs counts the allocations of every operation of test/bench. It fails if an operation
// makes more allocations than its bound in test/bench/allocs.txt.
//
//	go run ./cmd/allocs            # check
//	go run ./cmd/allocs -update    # count with both engines and write the file
//
// The number of allocations does not depend on the speed of the machine, but varies a little
// between processes. With -update, the command counts in several processes. The new bound is
// the largest count plus the difference between the largest and the smallest count. A check
// compares the smallest count with the bound. If the count is too large, the check counts in
// more processes before it fails.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/bench"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

func main() {
	update := flag.Bool("update", false, "write the file of bounds")
	flag.Parse()
	if err := run(*update); err != nil {
		fmt.Fprintln(os.Stderr, "allocs:", err)
		os.Exit(1)
	}
}

func run(update bool) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "dovetail-allocs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	module := filepath.Join(root, "test")
	file := filepath.Join(module, "bench", "allocs.txt")
	binaries, err := bench.Build(work, root, root, module, "./bench")
	if err != nil {
		return err
	}
	upstream, dovetail := binaries[0], binaries[1]
	ours, most, err := count(dovetail, processes)
	if err != nil {
		return err
	}
	if update {
		theirs, _, err := count(upstream, processes)
		if err != nil {
			return err
		}
		for name, n := range ours {
			most[name] += most[name] - n
		}
		return write(file, theirs, most)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	bounds, err := bench.ReadAllocs(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	wrong := bench.Above(bounds, ours)
	for range retries {
		if len(wrong) == 0 {
			break
		}
		again, _, err := count(dovetail, 1)
		if err != nil {
			return err
		}
		for name, n := range again {
			ours[name] = min(ours[name], n)
		}
		wrong = bench.Above(bounds, ours)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("against %s:\n  %s", filepath.Base(file), strings.Join(wrong, "\n  "))
	}
	fewer := 0
	for name, n := range ours {
		if n < bounds[name].Dovetail {
			fewer++
		}
	}
	fmt.Printf("%d operations within their bounds, %d of them below\n", len(ours), fewer)
	return nil
}

// processes is the number of processes that count the allocations. The counts differ a little,
// because each process caches names and keys of field sets, and a random seed decides which of
// them it caches.
const processes = 3

// retries is the maximum number of additional processes for an operation that exceeds its bound.
// An unlucky random seed rarely causes the additional allocation in all of these processes, but a
// code change does.
const retries = 9

// count runs n processes. It returns the smallest and the largest number of allocations of
// each operation. For most operations, both counts are equal.
func count(b bench.Binary, n int) (least, most map[string]int, err error) {
	least, most = map[string]int{}, map[string]int{}
	for range n {
		out, err := b.Run("TestAllocations")
		if err != nil {
			return nil, nil, err
		}
		for name, n := range bench.Allocations(out) {
			if m, ok := least[name]; !ok || n < m {
				least[name] = n
			}
			most[name] = max(most[name], n)
		}
	}
	return least, most, nil
}

func write(file string, theirs, ours map[string]int) error {
	all := map[string]bench.Bound{}
	for name, n := range ours {
		all[name] = bench.Bound{Upstream: theirs[name], Dovetail: n}
	}
	var b bytes.Buffer
	b.WriteString("# This file has the number of allocations of each operation: with structured-merge-diff, and the bound for Dovetail.\n# The command go run ./cmd/allocs -update writes it.\n")
	if err := bench.WriteAllocs(&b, all); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
