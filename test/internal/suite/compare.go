// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Verdict compares the run with Dovetail and the run with structured-merge-diff.
type Verdict struct {
	Suite   string
	Base    int      // number of tests that pass with structured-merge-diff, except the dropped tests
	Ours    int      // number of these tests that pass with Dovetail
	Dropped int      // number of passing tests that cannot run with Dovetail, because they use unexported names
	Listed  []string // tests that fail with Dovetail, and that DIFFERENCES.md lists

	Unlisted []string // tests that fail with Dovetail, but are not in DIFFERENCES.md
	Vanished []string // tests that pass with Dovetail although DIFFERENCES.md lists them
	New      []string // tests that pass only with Dovetail
	Broken   []string // packages that failed to build or to finish with one of the engines

	base, ours *Result
}

// Compare compares the results of both runs of a suite. The last two arguments contain tests:
// those that were removed for the run with Dovetail, and those that DIFFERENCES.md allows to fail
// with Dovetail. A test may also fail if only its subtests fail, and DIFFERENCES.md allows all of
// these to fail.
func Compare(suite string, base, ours *Result, dropped, listed []string) *Verdict {
	v := &Verdict{Suite: suite, base: base, ours: ours}
	for pkg := range base.Broken {
		v.Broken = append(v.Broken, pkg+" with structured-merge-diff:\n"+base.Broken[pkg])
	}
	for pkg := range ours.Broken {
		v.Broken = append(v.Broken, pkg+" with Dovetail:\n"+ours.Broken[pkg])
	}
	slices.Sort(v.Broken)

	var lost []string
	for _, name := range slices.Sorted(maps.Keys(base.Passed)) {
		switch {
		case slices.ContainsFunc(dropped, func(d string) bool { return within(name, d) }):
			v.Dropped++
		case ours.Passed[name]:
			v.Base, v.Ours = v.Base+1, v.Ours+1
		default:
			v.Base++
			lost = append(lost, name)
		}
	}
	for _, name := range lost {
		if excused(name, lost, listed) {
			v.Listed = append(v.Listed, name)
		} else {
			v.Unlisted = append(v.Unlisted, name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(lost, name) {
			v.Vanished = append(v.Vanished, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours.Passed)) {
		if !base.Passed[name] {
			v.New = append(v.New, name)
		}
	}
	return v
}

func within(name, parent string) bool {
	return name == parent || strings.HasPrefix(name, parent+"/")
}

// excused reports whether DIFFERENCES.md allows a test to fail with Dovetail. This is true if it
// lists the test, or all failing subtests of the test. The argument lost contains all tests that
// pass only with structured-merge-diff.
func excused(name string, lost, listed []string) bool {
	if slices.Contains(listed, name) {
		return true
	}
	below := false
	for _, l := range lost {
		if l != name && within(l, name) {
			if !excused(l, lost, listed) {
				return false
			}
			below = true
		}
	}
	return below
}

// OK reports whether DIFFERENCES.md lists exactly the tests that fail with Dovetail, and all
// packages ran.
func (v *Verdict) OK() bool {
	return v.Base > 0 && len(v.Unlisted)+len(v.Vanished)+len(v.Broken) == 0
}

// Write prints the numbers and the problems.
func (v *Verdict) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d tests pass with Dovetail, %d with SMD, %d listed differences", v.Suite, v.Ours, v.Base, len(v.Listed))
	if v.Dropped > 0 {
		fmt.Fprintf(w, " (%d more tests pass with SMD and need its unexported names)", v.Dropped)
	}
	fmt.Fprintln(w)
	for _, b := range v.Broken {
		fmt.Fprintf(w, "  broken: %s\n", indent(b, 40))
	}
	for _, name := range v.Listed {
		fmt.Fprintf(w, "  listed: %s\n", name)
	}
	notRun := 0
	for _, name := range v.Unlisted {
		if len(v.Broken) > 0 && !v.ours.Failed[name] && !v.ours.Skipped[name] {
			notRun++ // most likely because its package did not build
			continue
		}
		state := "did not run"
		if v.ours.Failed[name] {
			state = "fails"
		} else if v.ours.Skipped[name] {
			state = "is skipped"
		}
		fmt.Fprintf(w, "  unlisted difference: %s %s\n", name, state)
		if out := v.ours.Output(name); out != "" {
			fmt.Fprintf(w, "      %s\n", indent(out, 12))
		}
	}
	if notRun > 0 {
		fmt.Fprintf(w, "  %d tests did not run\n", notRun)
	}
	for _, name := range v.Vanished {
		fmt.Fprintf(w, "  listed in %s, but does not differ: %s\n", DifferencesFile, name)
	}
	for _, name := range v.New {
		fmt.Fprintf(w, "  passes only with Dovetail: %s\n", name)
	}
}

// indent returns the first lines of a text, indented.
func indent(text string, lines int) string {
	ls := strings.Split(strings.TrimSpace(text), "\n")
	if len(ls) > lines {
		ls = append(ls[:lines], fmt.Sprintf("... %d more lines", len(ls)-lines))
	}
	return strings.Join(ls, "\n      ")
}
