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

// row counts the mutants of one package by result.
type row struct{ mutants, refused, sampled, killed, since, gone, equivalent, open int }

func (r *row) add(o row) {
	r.mutants += o.mutants
	r.refused += o.refused
	r.sampled += o.sampled
	r.killed += o.killed
	r.since += o.since
	r.gone += o.gone
	r.equivalent += o.equivalent
	r.open += o.open
}

// writeReport writes RESULTS.md from the results of the run in the folder first. If the
// survivors of that run ran again, their newer results are in the folder o.work. If first is
// empty, the first run is the one in o.work.
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
		rows[pkg] = &row{mutants: tally[pkg].Mutants, refused: tally[pkg].Refused}
	}
	how := map[string]int{}
	var open []string
	unfinished := 0
	for _, r := range results {
		row := rows[r.pkg()]
		if row == nil { // this package no longer exists
			continue
		}
		row.sampled++
		again, there := later[r.place()]
		switch {
		case r.Killed:
			row.killed++
			how[r.How]++
		case there && again.Killed:
			row.since++
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
	var b strings.Builder
	fmt.Fprintf(&b, intro, len(results), o.seed)
	b.WriteString("| package | possible mutants | do not compile | tested | killed in the sample | killed by a later test | code since rewritten | equivalent | open | killed, % of tested | killed, % of those not equivalent |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	var sum row
	for _, pkg := range packages {
		rows[pkg].write(&b, "`"+pkg+"`")
		sum.add(*rows[pkg])
	}
	sum.write(&b, "all")
	fmt.Fprintf(&b, "\nThe sample had %d killed mutants: a test failed for %d of them, %d panicked, and %d did not end.\n", sum.killed, how["fails"], how["panics"], how["does not end"])
	if len(open) > 0 {
		slices.Sort(open)
		fmt.Fprintf(&b, "\n## Open mutants\n\nNo test fails for these mutants. Each line has the file, the function, the line of code with the changed token in\nbrackets, and the new token. Slow tests have not run for %d of these mutants.\n\n```\n%s\n```\n", unfinished, strings.Join(open, "\n"))
	}
	return write(filepath.Join(dir, "RESULTS.md"), b.String())
}

const intro = `# Mutation testing

A mutant is a copy of the code with one small change. A good test suite fails for each mutant. This page counts the
mutants of the root module for which a test fails. The tool gremlins lists the possible mutants of a package. This run
tested %d of them: a random sample (seed %d) from each package, in proportion to its lines. It skipped mutants that do
not compile, and mutants of code outside of functions.

These are the columns of the table. All of them except the last two contain numbers of mutants:

* *Possible mutants*: gremlins lists the mutant.
* *Do not compile*: the mutant was drawn for the sample, but is not valid code. The run took another one instead.
* *Tested*: the mutant is in the sample. Each of these mutants is in one of the next five columns.
* *Killed in the sample*: a test failed when the sample was tested.
* *Killed by a later test*: no test failed when the sample was tested, and a test fails now.
* *Code since rewritten*: no test failed when the sample was tested, and the code was rewritten later.
* *Equivalent*: no test can fail, because the module behaves the same with the mutant. ` + "`survivors.txt`" + ` explains why.
* *Open*: no test fails. A test may be missing.
* *Killed, %% of tested*: all killed mutants, in percent of the tested ones. Mutants whose code was rewritten do not count.
* *Killed, %% of those not equivalent*: the same without equivalent mutants.

Run these commands in the folder ` + "`test`" + `. ` + "`go run ./cmd/mutants -work A`" + ` tests a sample. ` + "`-again A -work B`" + ` tests the
mutants that survived in A again, in the current code. ` + "`-report -again A -work B`" + ` writes this page.

`

func (r row) write(b *strings.Builder, name string) {
	dead := r.killed + r.since
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s |\n", name, r.mutants, r.refused, r.sampled, r.killed, r.since, r.gone, r.equivalent, r.open,
		percent(dead, r.sampled-r.gone), percent(dead, r.sampled-r.gone-r.equivalent))
}

func percent(n, total int) string {
	if total == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(total))
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
