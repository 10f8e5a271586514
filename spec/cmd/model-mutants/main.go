// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Model-mutants makes small changes to the code of the model, one at a time, and runs the test
// cases with each change. Run the command in the folder "spec". The file
// internal/mutants/survivors.txt lists the changes that no case detects, with a reason for each.
// The command prints each undetected change that is missing from the file. It also prints the
// outdated entries of the file: entries whose change no longer exists, or is now detected by a
// case. The exit status is 1 if the file is out of date.
package main

import (
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/spec/internal/mutants"
)

func main() {
	good, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "model-mutants:", err)
		os.Exit(3)
	}
	if !good {
		os.Exit(1)
	}
}

func run() (good bool, err error) {
	sources, err := mutants.Sources(".")
	if err != nil {
		return false, err
	}
	all, err := mutants.Mutate(sources)
	if err != nil {
		return false, err
	}
	p, err := mutants.Build(".", all)
	if err != nil {
		return false, err
	}
	defer p.Close()
	var which []int
	refused := 0
	for i := range all {
		which = append(which, i)
		if p.Refused[i] {
			refused++
		}
	}
	alive, err := p.Alive(which)
	if err != nil {
		return false, err
	}
	known := mutants.Survivors()
	lives, why := map[string]bool{}, map[string]int{}
	good = true
	for _, i := range alive {
		what := all[i].What
		lives[what] = true
		if known[what] == "" {
			fmt.Println("no case detects this change:", what)
			good = false
		}
		if known[what] == "open" || known[what] == "" {
			why["open"]++
		} else {
			why["equivalent"]++
		}
	}
	for what := range known {
		if !lives[what] {
			fmt.Println("remove this entry, because a case detects the change or the code no longer exists:", what)
			good = false
		}
	}
	built := len(all) - refused
	fmt.Printf("%d mutants, of which %d do not compile; of the other %d, the cases detect %d, %d are equivalent, and %d are open\n",
		len(all), refused, built, built-len(alive), why["equivalent"], why["open"])
	return good, nil
}
