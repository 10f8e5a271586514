// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import "slices"

// bulkPaths is the number of paths from which on NewSet builds a set from the
// bottom up: inserting siblings one by one in random order moves half of those
// already there each time.
const bulkPaths = 16

// insertAll fills the empty set s. The result is that of inserting the paths in
// turn: of equal elements, the one that came first is kept.
func (s *Set) insertAll(paths []Path) {
	b := bulk{paths: paths}
	order := make([]int, 0, 2*len(paths))
	for i, p := range paths {
		if len(p) > 0 {
			order = append(order, i)
		}
	}
	b.fill(s, order, order[len(order):2*len(order)], 0)
}

type bulk struct {
	arena arena
	paths []Path
}

// fill builds s from the paths listed in order, which are alike up to depth and
// longer than it. It reorders the list, and uses scratch of the same length.
func (b *bulk) fill(s *Set, order, scratch []int, depth int) {
	// Paths that end here go to the front and the others behind, each in
	// their old order.
	ends, longer := order[:0], scratch[:0]
	for _, i := range order {
		if len(b.paths[i]) == depth+1 {
			ends = append(ends, i)
		} else {
			longer = append(longer, i)
		}
	}
	copy(order[len(ends):], longer)
	longer = order[len(ends):]

	s.Members.members = b.members(ends, depth)
	s.Children.members = b.nodes(longer, scratch, depth)
}

func (b *bulk) members(ends []int, depth int) []PathElement {
	distinct := b.sort(ends, depth)
	out := b.arena.elements.Take(distinct)[:0]
	for _, i := range ends {
		pe := &b.paths[i][depth]
		if n := len(out); n == 0 || distinct == len(ends) || compareElements(&out[n-1], pe) != 0 {
			out = append(out, *pe)
		}
	}
	return out
}

func (b *bulk) nodes(longer, scratch []int, depth int) []SetNode {
	out := b.arena.nodes.Take(b.sort(longer, depth))
	for at := range out {
		end := 1
		for end < len(longer) && b.compare(longer[0], longer[end], depth) == 0 {
			end++
		}
		out[at] = SetNode{PathElement: b.paths[longer[0]][depth], Set: b.arena.sets.One()}
		b.fill(out[at].Set, longer[:end], scratch[:end], depth+1)
		longer, scratch = longer[end:], scratch[end:]
	}
	return out
}

func (b *bulk) compare(i, j, depth int) int {
	return compareElements(&b.paths[i][depth], &b.paths[j][depth])
}

// sort orders a list by the elements at depth, equal ones by their number. It
// returns how many different ones there are.
func (b *bulk) sort(list []int, depth int) (distinct int) {
	distinct, sorted := b.count(list, depth)
	if sorted {
		return distinct
	}
	slices.SortFunc(list, func(i, j int) int {
		if c := b.compare(i, j, depth); c != 0 {
			return c
		}
		return i - j
	})
	distinct, _ = b.count(list, depth)
	return distinct
}

// count returns how many different elements a sorted list has at depth, and
// whether it is sorted.
func (b *bulk) count(list []int, depth int) (distinct int, sorted bool) {
	for at, i := range list {
		c := -1
		if at > 0 {
			c = b.compare(list[at-1], i, depth)
		}
		if c > 0 {
			return 0, false
		}
		distinct -= c
	}
	return distinct, true
}
