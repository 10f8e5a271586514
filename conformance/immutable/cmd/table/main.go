// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command table writes what update strategies have shown about every field of every built-in
// kind: the table that kube/immutable embeds.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/conformance/immutable/probe"
)

func main() {
	out := flag.String("o", "", "file to write; standard output without")
	objects := flag.String("objects", "testdata/objects", "folder with the objects that are changed")
	verbose := flag.Bool("v", false, "print every change that was refused as a change")
	flag.Parse()
	if err := run(*out, *objects, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(out, folder string, verbose bool) error {
	objects, err := probe.Objects(folder)
	if err != nil {
		return err
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
	text := table.Text("v1.37.2")
	if out == "" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
