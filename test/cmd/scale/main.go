// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Scale measures how the CPU time of every operation grows with the size of an
// object, over structured-merge-diff and over Dovetail in one run.
//
//	go run ./cmd/scale                              # 10 to 10,000 elements
//	go run ./cmd/scale -largest 100000 -alone       # Dovetail alone, which takes minutes
//	go run ./cmd/scale -every -largest 65536        # instructions, see below
//
// With -every, the module test/scale counts the instructions of every operation
// of Dovetail's packages, and the CPU time of every command; it takes -run and -largest
// and fails above an exponent of 1.15.
//
// The benchmarks are BenchmarkScale of test/bench. An operation takes
// time proportional to size to the power of its exponent: 1 is linear, and
// sorting adds a tenth, and a growing share of cache misses up to four. The command
// fails if an exponent of ours is above -most.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/bench"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

type options struct {
	run, time, patience      string
	smallest, largest, count int
	most                     float64
	alone, every             bool
}

func main() {
	var o options
	flag.StringVar(&o.run, "run", ".", "series to run, a `regexp` for the names after Scale/")
	flag.StringVar(&o.time, "benchtime", "20ms", "time for each benchmark")
	flag.StringVar(&o.patience, "patience", "500ms", "CPU time of an operation that is too much to go on with a larger object")
	flag.IntVar(&o.smallest, "smallest", 10, "elements of the smallest object")
	flag.IntVar(&o.largest, "largest", 10_000, "elements of the largest object")
	flag.IntVar(&o.count, "count", 1, "runs over each engine")
	flag.Float64Var(&o.most, "most", 1.5, "largest exponent that passes")
	flag.BoolVar(&o.alone, "alone", false, "measure Dovetail alone")
	flag.BoolVar(&o.every, "every", false, "count the instructions of every operation and command of Dovetail")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.every {
		root, err := repo.Root()
		if err != nil {
			return err
		}
		cmd := exec.Command("go", "run", ".", "-run", o.run, fmt.Sprint("-largest=", o.largest))
		cmd.Dir, cmd.Env = filepath.Join(root, "test", "scale"), append(os.Environ(), "GOWORK=off")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	work, err := os.MkdirTemp("", "dovetail-scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	binaries, err := bench.BuildOwn(work)
	if err != nil {
		return err
	}
	var results [2]bench.Results
	for range o.count {
		for i, b := range binaries {
			if o.alone && i == 0 {
				continue
			}
			if err := measure(b, o, &results[i]); err != nil {
				return fmt.Errorf("over %s: %w", b.Engine, err)
			}
		}
	}
	above, err := bench.GrowthTable(os.Stdout, &results[0], &results[1], o.most)
	if err != nil {
		return err
	}
	if above > 0 {
		return fmt.Errorf("%d series grow with an exponent above %v", above, o.most)
	}
	return nil
}

func measure(b bench.Binary, o options, to *bench.Results) error {
	cmd := exec.Command(b.Path, "-test.run=^$", "-test.bench=^BenchmarkScale$/"+o.run, "-test.benchmem",
		"-test.benchtime="+o.time, "-test.timeout=0", "-patience="+o.patience,
		fmt.Sprint("-smallest=", o.smallest), fmt.Sprint("-largest=", o.largest))
	cmd.Dir, cmd.Stderr = b.Dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := to.Read(out); err != nil {
		return err
	}
	return cmd.Wait()
}
