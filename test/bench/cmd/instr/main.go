// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build valgrind

// Instr runs operations of the benchmark suite under callgrind, which writes one dump for each
// operation. The command test/cmd/ircount starts instr and reads the dumps.
//
//	valgrind --tool=callgrind --instr-atstart=no --separate-threads=yes instr -run REGEXP -n 3
//
// The label of a dump is "<operation> n=<runs>". The counts exclude the preparation of the
// inputs and the first runs.
package main

import (
	"flag"
	"fmt"
	"regexp"

	"github.com/dovetail-ssa/dovetail/test/bench"
	"github.com/dovetail-ssa/dovetail/test/internal/callgrind"
)

func main() {
	pattern := flag.String("run", ".", "operations, a regular `expression`")
	n := flag.Int("n", 3, "runs of each operation")
	list := flag.Bool("list", false, "print the names of the operations")
	flag.Parse()
	wanted := regexp.MustCompile(*pattern)
	for _, p := range bench.Programs() {
		switch {
		case !wanted.MatchString(p.Name):
		case *list:
			fmt.Println(p.Name)
		default:
			run := p.Prepare()
			run()
			run()
			callgrind.Count(p.Name, *n, run)
		}
	}
}
