// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

// Leaves returns the paths that are not also children at their place.
func (s *Set) Leaves() *Set {
	var a arena
	out := a.sets.one()
	a.fill(out,
		a.leafMembers(s.Members.members, s.Children.members),
		a.leafNodes(s.Children.members))
	return out
}

// leaves returns s itself where that is the result.
func (a *arena) leaves(s *Set) *Set {
	members := a.leafMembers(s.Members.members, s.Children.members)
	nodes := a.leafNodes(s.Children.members)
	if same(members, s.Members.members) && same(nodes, s.Children.members) {
		return s
	}
	return a.set(members, nodes)
}

func (a *arena) leafMembers(members []PathElement, nodes []SetNode) []PathElement {
	if len(members) == 0 || len(nodes) == 0 {
		return members
	}
	var room [spanRoom]span
	kept := room[:0]
	start, at := 0, 0
	for i := range nodes {
		var found bool
		at, found = seekElements(members, at, &nodes[i].PathElement)
		if found {
			kept = addSpan(kept, start, at, false)
			at++
			start = at
		}
	}
	kept = addSpan(kept, start, len(members), false)
	return a.pick(kept, members)
}

func (a *arena) leafNodes(x []SetNode) []SetNode {
	kept := nodePicker{from: x}
	for i := range x {
		kept.put(a, i, a.leaves(x[i].Set), len(x)-i-1)
	}
	return kept.result()
}
