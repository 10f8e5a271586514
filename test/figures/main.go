// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command writes test/bench/RESULTS.md from the measurements in test/bench/results.
//
//	go run ./cmd/ircount -raw bench/results -run '…'     # in test, measures again
//	go run ./cmd/benchcmp -raw bench/results -bench '…'
//	cd figures && go run .
//
// The measurements have the format of Go benchmarks, so benchstat can read them, too.
// upstream*.txt has the measurements of structured-merge-diff, and dovetail*.txt those of
// Dovetail.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/bench"
)

func main() {
	dir := flag.String("dir", "../bench", "`directory` of the results")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	text, err := figures(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "RESULTS.md"), text, 0o644)
}

// figures returns the text of RESULTS.md for the measurements in dir.
func figures(dir string) ([]byte, error) {
	var sides [2]bench.Results
	for i, engine := range []string{"upstream", "dovetail"} {
		names, err := filepath.Glob(filepath.Join(dir, "results", engine+"*.txt"))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("no %s*.txt in %s: measure first", engine, filepath.Join(dir, "results"))
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if err := sides[i].Read(bytes.NewReader(text)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	rows := bench.SideBySide(&sides[0], &sides[1])
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no operation was measured over both engines", dir)
	}
	var table bytes.Buffer
	if err := bench.WriteSideBySide(&table, rows); err != nil {
		return nil, err
	}
	table.WriteByte('\n')
	if err := bench.WriteRun(&table, &sides[0], &sides[1]); err != nil {
		return nil, err
	}
	return table.Bytes(), nil
}
