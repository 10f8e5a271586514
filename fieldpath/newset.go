// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"slices"
	"sync"
)

// bulkPaths is the minimum number of paths for which NewSet sorts all paths first. If there are
// fewer paths, NewSet inserts them one by one. Inserting many paths in random order would be slow,
// because each insertion would move half of the siblings.
const bulkPaths = 16

// insertAll inserts paths into the empty set s. The result is the same as if the paths were
// inserted one by one. If several elements are equal, the set keeps the first one.
func (s *Set) insertAll(paths []Path) {
	room := pathRooms.Get().(*[]Path)
	*room = append((*room)[:0], paths...)
	n := len(slices.DeleteFunc(*room, func(p Path) bool { return len(p) == 0 }))
	*room = slices.Grow(*room, n)[:len(paths)+n]
	var a arena
	a.elements.Expect(n)
	a.fill(s, (*room)[:n], (*room)[len(paths):], 0)
	if clear(*room); cap(*room) <= mostKept {
		pathRooms.Put(room)
	}
}

// pathRooms is a pool of buffers for insertAll.
var pathRooms = sync.Pool{New: func() any { return new([]Path) }}

// mostKept is the largest capacity of a buffer that is kept for reuse.
const mostKept = 1 << 14

// fill builds s from paths that are equal in their first depth elements. It adds the remaining
// elements of each path. Each path must have at least one remaining element. fill reorders paths.
// It overwrites scratch, which must be as long as paths.
func (a *arena) fill(s *Set, paths, scratch []Path, depth int) {
	ends, longer := paths[:0], scratch[:0]
	for _, p := range paths {
		if len(p) == depth+1 {
			ends = append(ends, p)
		} else {
			longer = append(longer, p)
		}
	}
	scratch = paths[len(ends):]
	nodes := a.nodes.Take(sortAt(longer, depth))
	for i := range nodes {
		pe, end := &longer[0][depth], 1
		for end < len(longer) && compareElements(pe, &longer[end][depth]) == 0 {
			end++
		}
		nodes[i] = SetNode{PathElement: *pe, Set: a.sets.One()}
		a.fill(nodes[i].Set, longer[:end], scratch[:end], depth+1)
		longer, scratch = longer[end:], scratch[end:]
	}
	distinct := sortAt(ends, depth)
	members := a.elements.Take(distinct)[:0]
	for _, p := range ends {
		if n := len(members); n == 0 || distinct == len(ends) || compareElements(&members[n-1], &p[depth]) != 0 {
			members = append(members, p[depth])
		}
	}
	s.Members.members, s.Children.members = members, nodes
}

// sortAt sorts paths by the element at depth with a stable sort. It returns the number of
// distinct elements at depth.
func sortAt(paths []Path, depth int) (distinct int) {
	for i := range paths {
		c := -1
		if i > 0 {
			c = compareElements(&paths[i-1][depth], &paths[i][depth])
		}
		if c > 0 {
			slices.SortStableFunc(paths, func(p, q Path) int { return compareElements(&p[depth], &q[depth]) })
			return sortAt(paths, depth)
		}
		distinct -= c
	}
	return distinct
}
