// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
)

// Stats counts events while cases run.
type Stats struct {
	Sequences    int
	Operations   int
	Conflicts    int            // steps with conflicts
	Noops        int            // applies that change nothing
	Errors       int            // steps with an error that is not a conflict
	Random       int            // cases in which the engines agreed only in a rerun, because results of the oracle are random
	Self         int            // cases in which the engine was also compared with itself
	OraclePanics map[string]int // panics of the oracle, by operation
	Ops          map[string]int
	Exempted     map[string]int
}

func (s *Stats) count(st *scenario.Step, o *outcome) {
	increase(&s.Ops, st.Op, 1)
	switch {
	case o.conflict:
		s.Conflicts++
	case o.err != nil:
		s.Errors++
	case o.noop:
		s.Noops++
	}
}

func increase(m *map[string]int, key string, n int) {
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[key] += n
}

// Add adds the counts of another Stats.
func (s *Stats) Add(o *Stats) {
	s.Sequences += o.Sequences
	s.Operations += o.Operations
	s.Conflicts += o.Conflicts
	s.Noops += o.Noops
	s.Errors += o.Errors
	s.Random += o.Random
	s.Self += o.Self
	for op, n := range o.OraclePanics {
		increase(&s.OraclePanics, op, n)
	}
	for op, n := range o.Ops {
		increase(&s.Ops, op, n)
	}
	for id, n := range o.Exempted {
		increase(&s.Exempted, id, n)
	}
}

// Print prints the counts, and the accepted differences that did not occur.
func (s *Stats) Print(w io.Writer) {
	fmt.Fprintf(w, "sequences %d, operations %d, conflicts %d, no-ops %d, errors %d\n",
		s.Sequences, s.Operations, s.Conflicts, s.Noops, s.Errors)
	fmt.Fprintf(w, "sequences with random results of structured-merge-diff %d, sequences that Dovetail ran twice %d\n", s.Random, s.Self)
	fmt.Fprintf(w, "operations:%s\n", list(s.Ops))
	fmt.Fprintf(w, "panics of structured-merge-diff:%s\n", list(s.OraclePanics))
	fmt.Fprintln(w, "differences of DIFFERENCES.md, and how often they occurred:")
	ids := Exemptions()
	sort.Strings(ids)
	for _, id := range ids {
		fmt.Fprintf(w, "  %8d  %s\n", s.Exempted[id], id)
	}
	for id, test := range Fixed {
		fmt.Fprintf(w, "            %s: see %s\n", id, test)
	}
	if idle := s.Idle(); len(idle) > 0 {
		fmt.Fprintf(w, "listed differences that did not occur: %s\n", strings.Join(idle, " "))
	}
}

// Idle returns the ids of accepted differences that did not occur.
func (s *Stats) Idle() []string {
	var out []string
	for _, id := range Exemptions() {
		if s.Exempted[id] == 0 {
			out = append(out, id)
		}
	}
	return out
}

func list(counts map[string]int) string {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	sort.Strings(names)
	out := ""
	for _, name := range names {
		out += fmt.Sprintf(" %s %d", name, counts[name])
	}
	return out
}
