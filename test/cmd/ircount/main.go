// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Ircount counts the instructions of every operation, with structured-merge-diff and with
// Dovetail. It uses valgrind's callgrind.
//
//	go run ./cmd/ircount -run '^[a-h]/.*/(Pod|Service)$'
//	go run ./cmd/ircount -run '^c/Merge.*/EndpointSlice1000$' -markdown
//	go run ./cmd/ircount -module ../../somewhere/bench -package ./cmd/instr -run '^e/'
//
// The counts depend only on the code and on Go's version, and vary by about one percent. The
// garbage collector is off. By default, ircount counts the operations of test/bench. Another
// module can provide other operations, in a command that accepts -run, -n and -list, and
// writes callgrind dumps in the same way.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/bench"
	"github.com/dovetail-ssa/dovetail/test/internal/callgrind"
)

type options struct {
	run, module, pkg, engine, raw, budget string
	n                                     int
	list, markdown                        bool
}

func main() {
	var o options
	flag.StringVar(&o.run, "run", ".", "operations to count, a `regexp`")
	flag.IntVar(&o.n, "n", 3, "number of runs of each operation")
	flag.BoolVar(&o.list, "list", false, "print the names of the operations and count nothing")
	flag.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	flag.StringVar(&o.module, "module", "", "`directory` of the module with the command that runs operations (default: this one)")
	flag.StringVar(&o.pkg, "package", "./bench/cmd/instr", "`path` of that command in the module")
	flag.StringVar(&o.engine, "engine", "", "`directory` of the engine's module (default: this repository)")
	flag.StringVar(&o.budget, "budget", "", "count only Dovetail, and fail if an operation is 5 % above its count in this `file`, which -raw wrote")
	flag.StringVar(&o.raw, "raw", "", "also write the counts to upstream-instructions.txt and dovetail-instructions.txt in this `directory`, in the format of Go benchmarks")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "ircount:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if err := callgrind.Available(); err != nil && !o.list {
		return err
	}
	root, err := bench.Places(&o.module, &o.engine)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "dovetail-ircount-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	binaries, err := bench.BuildCommand(work, root, o.engine, o.module, o.pkg, "valgrind")
	if err != nil {
		return err
	}
	names, err := exec.Command(binaries[0].Path, "-list", "-run", o.run).Output()
	if err != nil {
		return fmt.Errorf("%s -list: %w", o.module, err)
	}
	if len(names) == 0 {
		return fmt.Errorf("no operation matches %q", o.run)
	}
	if o.list {
		_, err := os.Stdout.Write(names)
		return err
	}
	if o.budget != "" {
		return withinBudget(binaries[1], o)
	}
	var counts [2]bench.Counts
	for i, b := range binaries {
		if counts[i], err = count(b, o); err != nil {
			return fmt.Errorf("with %s: %w", b.Engine, err)
		}
		for _, name := range strings.Fields(string(names)) {
			if counts[i][name] == 0 {
				return fmt.Errorf("with %s: %s was not counted", b.Engine, name)
			}
		}
		if o.raw != "" {
			if err := os.WriteFile(filepath.Join(o.raw, b.Engine+"-instructions.txt"), counts[i].Lines(), 0o644); err != nil {
				return err
			}
		}
	}
	return bench.InstructionTable(os.Stdout, counts[0], counts[1], o.markdown)
}

// rounds is the number of times that an operation must exceed its budget before it fails. Random
// seeds and weak pointers sometimes change a small count by 5 %, but a code change affects every
// round.
const rounds = 3

// withinBudget counts the instructions of operations with Dovetail. It fails if an operation
// exceeds its budget by more than 5 % in each of several rounds.
func withinBudget(b bench.Binary, o options) error {
	text, err := os.ReadFile(o.budget)
	if err != nil {
		return err
	}
	var once bench.Results
	if err := once.Read(bytes.NewReader(text)); err != nil {
		return err
	}
	least := bench.Counts{}
	var above []string
	for range rounds {
		counts, err := count(b, o)
		if err != nil {
			return err
		}
		for name, n := range counts {
			if was, there := least[name]; !there || n < was {
				least[name] = n
			}
		}
		if above = least.Above(&once, 1.05); len(above) == 0 {
			fmt.Printf("%d operations within 5 %% of the budget\n", len(least))
			return nil
		}
		fmt.Printf("more than 5 %% above the budget, counting again:\n  %s\n", strings.Join(above, "\n  "))
	}
	return fmt.Errorf("above the budget in %s: fix it, or update the file with -raw and give the reason\n  %s", o.budget, strings.Join(above, "\n  "))
}

// count runs the command under callgrind and returns the counts.
func count(b bench.Binary, o options) (bench.Counts, error) {
	cmd := exec.Command(b.Path, "-run", o.run, "-n", fmt.Sprint(o.n))
	cmd.Dir = b.Dir
	return callgrind.Run(cmd)
}
