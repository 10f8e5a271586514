// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// survivorsOf returns the survivors of a run, with their positions in the current code.
func survivorsOf(o options, from string) (map[string][]mutant, error) {
	old, err := readResults(filepath.Join(from, "results.jsonl"))
	if err != nil {
		return nil, err
	}
	by := map[string][]mutant{}
	for _, r := range old {
		if r.Killed {
			continue
		}
		m := r.mutant
		if locate(filepath.Join(o.root, m.File), &m) {
			by[m.pkg()] = append(by[m.pkg()], m)
		} else {
			fmt.Printf("gone: %s\n", r.place())
		}
	}
	return by, nil
}

// locate finds the current line of a mutant in a file, and updates the mutant's position. If
// several lines have the same text, locate uses the line nearest to the old line number. It
// reports whether it found the line and the token.
func locate(file string, m *mutant) bool {
	src, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	lines := strings.SplitAfter(string(src), "\n")
	nearest := -1
	for i, line := range lines {
		if strings.TrimSpace(line) == m.Text && (nearest < 0 || distance(i+1, m.Line) < distance(nearest+1, m.Line)) {
			nearest = i
		}
	}
	if nearest < 0 {
		return false
	}
	line := lines[nearest]
	indent := len(line) - len(strings.TrimLeft(line, "\t "))
	m.Line, m.Col = nearest+1, indent+m.Column+1
	m.offset = len(strings.Join(lines[:nearest], "")) + m.Col - 1
	return tokenAt(line[m.Col-1:]) == m.From
}

func distance(a, b int) int { return max(a-b, b-a) }

// place returns a text that identifies a mutant in survivors.txt. It contains the text of the
// line instead of the line number, which may change.
func (m mutant) place() string {
	return fmt.Sprintf("%s\t%s\t%s ➜ %s", m.File, m.Func, m.Text[:m.Column]+"⟦"+m.From+"⟧"+m.Text[m.Column+len(m.From):], m.To)
}

// explained reads survivors.txt. Each survivor has one line. The indented lines below it
// explain why the mutant behaves like the original code.
func explained(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	why := map[string]string{}
	last := ""
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t") && last != "":
			why[last] = strings.TrimSpace(why[last] + " " + strings.TrimSpace(line))
		default:
			last = line
			why[last] = ""
		}
	}
	return why, nil
}

// row counts the mutants of one package by result. A first run tests a sample of the possible
// mutants. Each mutant of the sample is counted in exactly one of the last five fields.
type row struct {
	possible   int // mutants that gremlins lists
	killed     int // a test failed in the first run
	later      int // a test fails in the second run
	gone       int // the code was rewritten before the second run
	equivalent int // no test can fail
	open       int // no test fails, and survivors.txt does not explain why
}

// tested returns the number of mutants in the sample whose code still exists.
func (r row) tested() int { return r.killed + r.later + r.equivalent + r.open }

func (r *row) add(o row) {
	r.possible += o.possible
	r.killed += o.killed
	r.later += o.later
	r.gone += o.gone
	r.equivalent += o.equivalent
	r.open += o.open
}

// writeReport writes RESULTS.md from the results of a first run. If the survivors of that run
// were run again, the newer results are in the folder o.work, and the second argument is the
// folder of the first run. If the second argument is empty, o.work is the folder of the first
// run.
func writeReport(o options, first string) error {
	dir := filepath.Join(o.root, "test", "mutation")
	later := map[string]result{}
	if first == "" {
		first = o.work
	} else {
		again, err := readResults(filepath.Join(o.work, "results.jsonl"))
		if err != nil {
			return err
		}
		for _, r := range again {
			later[r.place()] = r
		}
	}
	results, err := readResults(filepath.Join(first, "results.jsonl"))
	if err != nil {
		return err
	}
	tally, err := readCounts(filepath.Join(first, "counts.json"))
	if err != nil {
		return err
	}
	why, err := explained(filepath.Join(dir, "survivors.txt"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	rows := map[string]*row{}
	for _, pkg := range packages {
		rows[pkg] = &row{possible: tally[pkg].Mutants}
	}
	how := map[string]int{}
	var open []string
	unfinished := 0
	for _, r := range results {
		row := rows[r.pkg()]
		if row == nil { // this package no longer exists
			continue
		}
		again, there := later[r.place()]
		switch {
		case r.Killed:
			row.killed++
			how[r.How]++
		case there && again.Killed:
			row.later++
		case !there && len(later) > 0:
			row.gone++
		case why[r.place()] != "":
			row.equivalent++
		default:
			row.open++
			if there {
				r = again
			}
			if r.UpTo < every {
				unfinished++
			}
			open = append(open, r.place())
		}
	}
	var sum row
	for _, row := range rows {
		sum.add(*row)
	}
	var b strings.Builder
	fmt.Fprintf(&b, intro, sum.possible, sum.tested(), o.seed)
	b.WriteString("| package | tested mutants | killed mutants: a test fails | equivalent mutants: no test can fail | surviving mutants that are not yet explained |\n")
	b.WriteString("|---|--:|--:|--:|--:|\n")
	for _, pkg := range packages {
		if rows[pkg].tested() > 0 {
			rows[pkg].write(&b, "`"+pkg+"`")
		}
	}
	sum.write(&b, "all packages")
	fmt.Fprintf(&b, "\nThe first run of the tests killed %d mutants: %d of them made a test fail, %d caused a panic, and %d ran until the\ntime limit. Tests that were added later killed %d more.", sum.killed, how["fails"], how["panics"], how["does not end"], sum.later)
	if sum.gone > 0 {
		fmt.Fprintf(&b, " The table leaves out %d mutants of code that has since been rewritten.", sum.gone)
	}
	b.WriteString("\n")
	if len(open) > 0 {
		slices.Sort(open)
		fmt.Fprintf(&b, "\n## Mutants that are not yet explained\n\nNo test fails for these mutants. Each line has the file, the function, the line of code with the changed token in\nbrackets, and the new token. Slow tests have not run for %d of these mutants.\n\n```\n%s\n```\n", unfinished, strings.Join(open, "\n"))
	}
	return write(filepath.Join(dir, "RESULTS.md"), b.String())
}

const intro = `# Mutation testing

Mutation testing checks how good the tests are. A mutant is a copy of the code with one small change, for example
` + "`<=` instead of `<`" + `. If a test fails for the mutant, the test *kills* it. If no test fails, a test may be missing.

This page shows the results for the root module. The tool gremlins lists %d possible mutants. This run tested a
random sample of %d mutants (seed %d), from each package in proportion to its lines. The sample contains only mutants
that compile, and only changes inside functions.

Each row of the table counts the tested mutants of one package. An *equivalent* mutant behaves like the original code,
so no test can kill it. The file ` + "`survivors.txt`" + ` explains each equivalent mutant.

Three commands in the folder ` + "`test`" + ` test mutants and write this page:

* ` + "`go run ./cmd/mutants -work A`" + ` tests a sample, and stores the results in the folder A.
* ` + "`go run ./cmd/mutants -again A -work B`" + ` tests the mutants that survived in A again, with the current code.
* ` + "`go run ./cmd/mutants -report -again A -work B`" + ` writes this page.

`

func (r row) write(b *strings.Builder, name string) {
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", name, r.tested(), r.killed+r.later, r.equivalent, r.open)
}

func readCounts(file string) (map[string]counts, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all map[string]counts
	err = json.Unmarshal(text, &all)
	return all, err
}
