// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Benchcmp runs Go benchmarks with structured-merge-diff and with Dovetail's drop-in for it,
// and compares the results.
//
//	go run ./cmd/benchcmp [flags]
//	go run ./cmd/benchcmp -bench 'SSA/f/ApplyOneField$/Pod$' -count 5
//	go run ./cmd/benchcmp -bench 'Fresh/a Fresh/c' -benchtime 100x
//	go run ./cmd/benchcmp -module ../../somewhere/bench -package ./limit
//
// It runs the benchmarks of test/bench, or of any module that requires structured-merge-diff
// v6, in a copy of the module. If the module has a test TestResults, benchcmp runs it first.
// With both engines, TestResults must print the same digests, because otherwise the engines do
// different work. Then benchcmp runs the engines in turn, so that changes in the machine's
// speed affect both. It runs one pattern after the other to keep each run short.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/test/internal/bench"
)

type options struct {
	module, pkg, bench, time, engine, raw string
	count                                 int
	results                               bool
}

func main() {
	var o options
	flag.StringVar(&o.module, "module", "", "`directory` of the module with the benchmarks (default: this one)")
	flag.StringVar(&o.pkg, "package", "./bench", "`path` of the package in the module")
	flag.StringVar(&o.bench, "bench", ".", "benchmarks to run, `regexps` separated by spaces")
	flag.StringVar(&o.time, "benchtime", "100ms", "time for each benchmark and run")
	flag.IntVar(&o.count, "count", 3, "number of runs with each engine")
	flag.BoolVar(&o.results, "results", true, "compare the results of the operations first")
	flag.StringVar(&o.engine, "engine", "", "`directory` of the engine's module (default: this repository)")
	flag.StringVar(&o.raw, "raw", "", "also write the output to upstream.txt and dovetail.txt in this `directory`")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "benchcmp:", err)
		os.Exit(1)
	}
}

// side has the benchmark binary of one engine, and the results of this binary.
type side struct {
	bench.Binary
	results bench.Results
	raw     io.Writer
}

func run(o options) error {
	root, err := bench.Places(&o.module, &o.engine)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "dovetail-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	binaries, err := bench.Build(work, root, o.engine, o.module, o.pkg)
	if err != nil {
		return err
	}
	var sides []*side
	for _, b := range binaries {
		s := &side{Binary: b, raw: io.Discard}
		if o.raw != "" {
			f, err := os.Create(filepath.Join(o.raw, b.Engine+".txt"))
			if err != nil {
				return err
			}
			defer f.Close()
			if _, err := io.WriteString(f, bench.Header(runtime.Version(), time.Now())); err != nil {
				return err
			}
			s.raw = f
		}
		sides = append(sides, s)
	}
	if o.results {
		if err := sameResults(sides); err != nil {
			return err
		}
	}
	for pattern := range strings.FieldsSeq(o.bench) {
		for range o.count {
			for _, s := range sides {
				if err := s.run(pattern, o.time); err != nil {
					return fmt.Errorf("benchmarks with %s: %w", s.Engine, err)
				}
			}
		}
	}
	if len(sides[0].results.Names) == 0 {
		return fmt.Errorf("no benchmark matches %q", o.bench)
	}
	return bench.Table(os.Stdout, &sides[0].results, &sides[1].results)
}

func (s *side) run(pattern, benchtime string) error {
	cmd := exec.Command(s.Path, "-test.run=^$", "-test.bench="+pattern, "-test.benchmem",
		"-test.benchtime="+benchtime, "-test.count=1", "-test.timeout=0")
	cmd.Dir, cmd.Stderr = s.Dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var printed bytes.Buffer
	if err := s.results.Read(io.TeeReader(out, io.MultiWriter(s.raw, &printed))); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, printed.Bytes())
	}
	return nil
}

// sameResults runs TestResults with both engines and compares the output.
func sameResults(sides []*side) error {
	var digests []map[string]string
	for _, s := range sides {
		cmd := exec.Command(s.Path, "-test.run=^TestResults$", "-test.v", "-test.timeout=0")
		cmd.Dir = s.Dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("TestResults with %s: %w\n%s", s.Engine, err, out)
		}
		digests = append(digests, bench.Digests(out))
	}
	if names := bench.Disagree(digests[0], digests[1]); len(names) > 0 {
		return fmt.Errorf("the engines return different results in %d of %d operations:\n  %s",
			len(names), len(digests[0]), strings.Join(names, "\n  "))
	}
	if n := len(digests[0]); n > 0 {
		fmt.Printf("same results in %d operations\n\n", n)
	}
	return nil
}
