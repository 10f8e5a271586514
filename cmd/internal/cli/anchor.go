// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"sort"
)

// anchor is a line that is there once in each of two texts.
type anchor struct{ a, b int }

// anchors returns the most lines that are there once in each text and in the same
// order in both.
func anchors(a, b []string) []anchor {
	const more = -1
	at := make(map[string]anchor, len(a)) // where it is, or more
	for i, line := range a {
		if _, twice := at[line]; twice {
			at[line] = anchor{more, more}
		} else {
			at[line] = anchor{i, len(b)}
		}
	}
	for j, line := range b {
		if p, ok := at[line]; ok && p.b == len(b) {
			at[line] = anchor{p.a, j}
		} else if ok {
			at[line] = anchor{more, more}
		}
	}
	var both []anchor
	for i, line := range a {
		if p := at[line]; p.a == i && p.b < len(b) {
			both = append(both, p)
		}
	}
	return rising(both)
}

// rising returns the longest run of anchors, which are in the order of a, that are
// in the order of b, too.
func rising(all []anchor) []anchor {
	// tops[n] is the index of the anchor that ends a run of n+1 with the least b.
	var tops []int
	before := make([]int, len(all))
	for i, p := range all {
		n := sort.Search(len(tops), func(n int) bool { return all[tops[n]].b > p.b })
		before[i] = -1
		if n > 0 {
			before[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	var run []anchor
	if len(tops) > 0 {
		for i := tops[len(tops)-1]; i >= 0; i = before[i] {
			run = append(run, all[i])
		}
	}
	slices.Reverse(run)
	return run
}

// between compares what is between anchors.
func between(a, b []string, parts []anchor) []diffLine {
	var out []diffLine
	i, j := 0, 0
	for _, p := range parts {
		out = append(out, lineDiff(a[i:p.a], b[j:p.b])...)
		out = append(out, diffLine{' ', a[p.a]})
		i, j = p.a+1, p.b+1
	}
	return append(out, lineDiff(a[i:], b[j:])...)
}
