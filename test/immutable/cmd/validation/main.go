// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command writes simple rules for the field values of built-in kinds. It creates
// objects with the code of the linked Kubernetes release, and derives the rules from the
// validation errors. The script kube/internal/releases/make.sh runs it.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/dovetail-ssa/dovetail/test/builtin"
	"github.com/dovetail-ssa/dovetail/test/immutable/probe"
)

func main() {
	out := flag.String("o", "", "`file` to write (default: standard output)")
	objects := flag.String("objects", "testdata/objects", "`folder` with the objects to change")
	verbose := flag.Bool("v", false, "print errors that no rule expresses, and rules that depend on other fields")
	flag.Parse()
	if err := write(*out, *objects, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "validation:", err)
		os.Exit(1)
	}
}

func write(out, folder string, verbose bool) error {
	objects, err := probe.Objects(folder)
	if err != nil {
		return err
	}
	limits := probe.NewLimits()
	for _, o := range objects {
		limits.Probe(o)
	}
	limits.DropConditional()
	if verbose {
		for _, line := range limits.Conditional {
			fmt.Fprintln(os.Stderr, "conditional:", line)
		}
		for _, detail := range slices.Sorted(maps.Keys(limits.Unknown)) {
			fmt.Fprintln(os.Stderr, "unknown:", limits.Unknown[detail], detail)
		}
	}
	text := limits.Text(builtin.Kubernetes())
	if out == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
