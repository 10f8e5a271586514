// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command writes the table of immutable fields for the linked release of Kubernetes. It
// changes every field of every built-in kind, and asks Kubernetes' update strategies whether
// they accept the change. The script kube/internal/releases/make.sh runs it.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/test/immutable/probe"
)

func main() {
	out := flag.String("o", "", "`file` to write (default: standard output)")
	objects := flag.String("objects", "testdata/objects", "`folder` with the objects to change")
	verbose := flag.Bool("v", false, "print every change that the strategy rejects as a change")
	flag.Parse()
	text, err := buildTable(*objects, *verbose)
	if err == nil {
		err = write(*out, text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func buildTable(folder string, verbose bool) (string, error) {
	objects, err := probe.Objects(folder)
	if err != nil {
		return "", err
	}
	table := probe.NewTable()
	for _, o := range objects {
		table.Root(o.Kind).All(func(p *probe.Place) {
			for _, c := range p.Changes(o.Content) {
				a := probe.Ask(o, c)
				table.Add(a)
				if verbose && a.Verdict == probe.Refused {
					fmt.Fprintf(os.Stderr, "%v: %v\n", a, a.Why)
				}
			}
		})
	}
	return table.Text()
}

func write(file, text string) error {
	if file == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
