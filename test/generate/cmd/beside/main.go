// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command compares the CRDs that dovetail-gen and controller-gen write. It runs both
// generators on the API packages of published modules, which projects.yaml lists. The file
// differences.yaml lists the accepted differences. The command fails if it finds any other
// difference, or if a listed difference no longer occurs. It also fails if the API server rejects
// a CRD of dovetail-gen but accepts the same CRD of controller-gen.
//
//	go run ./cmd/beside                        # compare all projects, two minutes of CPU
//	go run ./cmd/beside -results RESULTS.md    # the same, and write the results to this file
//	go run ./cmd/beside gateway-api flux-helm  # compare two projects
//	go run ./cmd/beside -v kubevirt            # also print each difference
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/test/generate/internal/beside"
)

var (
	//go:embed projects.yaml
	projects []byte
	//go:embed differences.yaml
	differences []byte
)

var (
	results = flag.String("results", "", "write the results to `file`")
	keep    = flag.String("keep", "", "keep the modules and the generated files in `directory`")
	verbose = flag.Bool("v", false, "print each difference")
)

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	all, err := beside.ReadProjects(projects)
	if err != nil {
		return err
	}
	rules, err := beside.ReadRules(differences)
	if err != nil {
		return err
	}
	for _, n := range names {
		if !slices.ContainsFunc(all, func(p beside.Project) bool { return p.Name == n }) {
			return fmt.Errorf("no project %q", n)
		}
	}
	if len(names) > 0 {
		if *results != "" {
			return errors.New("-results is for all projects")
		}
		all = slices.DeleteFunc(all, func(p beside.Project) bool { return !slices.Contains(names, p.Name) })
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "beside"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	tools, err := beside.Build(dir)
	if err != nil {
		return err
	}
	sum := beside.NewSummary(rules, len(names) == 0)
	for i := range all {
		out, err := tools.Generate(&all[i])
		if err != nil {
			return fmt.Errorf("%s: %w", all[i].Name, err)
		}
		row, err := sum.Add(out)
		if err != nil {
			return fmt.Errorf("%s: %w", all[i].Name, err)
		}
		fmt.Printf("%s; %v and %v of CPU\n", row, out.CPU.Ours.Round(time.Millisecond), out.CPU.Theirs.Round(time.Millisecond))
		if *verbose {
			for _, d := range row.Differences {
				fmt.Println("\t" + d.String())
			}
		}
	}
	if *results != "" {
		if err := os.WriteFile(*results, []byte(sum.Markdown(tools.Versions())), 0o666); err != nil {
			return err
		}
	}
	if wrong := sum.Wrong(); len(wrong) > 0 {
		for _, w := range wrong {
			fmt.Println(w)
		}
		return fmt.Errorf("%d differences", len(wrong))
	}
	return nil
}
