// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
)

// maxWork limits the number of instructions for the comparison of two patterns.
const maxWork = 1_000_000

// findLostMatch returns the shortest text that matches the old pattern but not the new one. The
// result known is false if the patterns cannot be compared, because a pattern is invalid or uses
// word boundaries, or because the comparison takes too long.
func findLostMatch(old, now string) (text string, found, known bool) {
	work := maxWork
	a, ok := compile(old, &work)
	b, bOK := compile(now, &work)
	if !ok || !bOK {
		return "", false, false
	}
	// Run both machines side by side on all possible texts, rune by rune. The search ends
	// because the number of pairs of states is finite.
	type pair struct {
		a, b state
		text string
	}
	all := representativeRunes(a, b)
	queue := []pair{{a.start(), b.start(), ""}}
	seen := map[string]bool{}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if a.ends(p.a) && !b.ends(p.b) {
			return p.text, true, true
		}
		for _, r := range all {
			if work < 0 {
				return "", false, false
			}
			next := pair{a.step(p.a, r), b.step(p.b, r), p.text + string(r)}
			key := fmt.Sprint(next.a, next.b)
			if next.b.matched || seen[key] {
				continue // the new pattern matches every text with this prefix
			}
			seen[key] = true
			queue = append(queue, next)
		}
	}
	return "", false, true
}

// machine runs a compiled regular expression one rune at a time.
type machine struct {
	*syntax.Prog
	work *int // the number of instructions that may still run
}

// state is the state of a machine: the instructions to run next, in order, and whether a
// match was found.
type state struct {
	at             []uint32
	first, matched bool
}

func compile(pattern string, work *int) (machine, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return machine{}, false
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return machine{}, false
	}
	const ends = syntax.EmptyBeginText | syntax.EmptyEndText
	return machine{prog, work}, !slices.ContainsFunc(prog.Inst, func(i syntax.Inst) bool {
		return i.Op == syntax.InstEmptyWidth && syntax.EmptyOp(i.Arg)&^ends != 0
	})
}

func (m machine) start() state { return m.stateAt(state{first: true}, []uint32{uint32(m.Start)}) }

// stateAt returns s with the given instructions to run next. If these instructions lead to a match
// without reading another rune, or if s is already a match, the result is a match. Callers include the
// start of the machine in the instructions, because a match can start at any rune.
func (m machine) stateAt(s state, next []uint32) state {
	s.at = next
	_, matched := m.closure(s, false)
	s.matched = s.matched || matched
	if s.matched {
		return state{matched: true}
	}
	return s
}

// closure runs all instructions of s that do not consume a rune. It returns the instructions that need
// the next rune, and whether the machine reaches a match without the next rune. The argument last is
// true at the end of the text.
func (m machine) closure(s state, last bool) (at []uint32, matched bool) {
	seen := map[uint32]bool{}
	var walk func(pc uint32)
	walk = func(pc uint32) {
		if seen[pc] {
			return
		}
		seen[pc] = true
		*m.work--
		switch i := &m.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			walk(i.Out)
			walk(i.Arg)
		case syntax.InstCapture, syntax.InstNop:
			walk(i.Out)
		case syntax.InstEmptyWidth:
			needs := syntax.EmptyOp(i.Arg)
			if (needs&syntax.EmptyBeginText == 0 || s.first) && (needs&syntax.EmptyEndText == 0 || last) {
				walk(i.Out)
			}
		case syntax.InstMatch:
			matched = true
		case syntax.InstFail:
		default:
			at = append(at, pc)
		}
	}
	for _, pc := range s.at {
		walk(pc)
	}
	return at, matched
}

func (m machine) ends(s state) bool {
	_, matched := m.closure(s, true)
	return s.matched || matched
}

func (m machine) step(s state, r rune) state {
	if s.matched {
		return s
	}
	next := []uint32{uint32(m.Start)}
	at, _ := m.closure(s, false)
	for _, pc := range at {
		if m.Inst[pc].MatchRune(r) {
			next = append(next, m.Inst[pc].Out)
		}
	}
	slices.Sort(next)
	return m.stateAt(state{}, slices.Compact(next))
}

// representativeRunes returns a small set of runes that is sufficient to test the machines. For
// each rune outside the set, the set contains a rune that all machines treat in the same way.
func representativeRunes(all ...machine) []rune {
	edges := []rune{0, '\n', '\n' + 1, unicode.MaxRune + 1}
	for _, m := range all {
		for _, i := range m.Inst {
			for _, r := range i.Rune {
				edges = append(edges, r, r+1)
				for f := unicode.SimpleFold(r); len(i.Rune) == 1 && f != r; f = unicode.SimpleFold(f) {
					edges = append(edges, f, f+1)
				}
			}
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var some []rune
	for i, r := range edges[:len(edges)-1] {
		for _, plain := range "a0A" {
			if r <= plain && plain < edges[i+1] {
				r = plain
				break
			}
		}
		some = append(some, r)
	}
	return some
}
