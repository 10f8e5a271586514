// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

// Difference returns the paths of s that are not in s2. Paths are taken one by
// one: removing a parent leaves its children in place.
func (s *Set) Difference(s2 *Set) *Set {
	return s.subtract(s2, false)
}

// RecursiveDifference returns the paths of s that are neither in s2 nor below a
// path in s2.
func (s *Set) RecursiveDifference(s2 *Set) *Set {
	return s.subtract(s2, true)
}

func (s *Set) subtract(s2 *Set, recursive bool) *Set {
	var a arena
	out := a.sets.one()
	a.fill(out,
		a.subtractMembers(s.Members.members, s2.Members.members),
		a.subtractNodes(s.Children.members, s2, recursive))
	return out
}

// subtract returns x itself where nothing is taken away, and nil when no path
// is left.
func (a *arena) subtract(x, y *Set, recursive bool) *Set {
	if x == y {
		return nil
	}
	members := a.subtractMembers(x.Members.members, y.Members.members)
	nodes := a.subtractNodes(x.Children.members, y, recursive)
	switch {
	case len(members) == 0 && !a.holds(nodes) && (&SetNodeMap{members: nodes}).Empty():
		return nil
	case same(members, x.Members.members) && same(nodes, x.Children.members):
		return x
	}
	return a.set(members, nodes)
}

// holds says whether nodes have the set that a subtraction left last, which has
// paths. Looking for paths at every level would make depth count twice.
func (a *arena) holds(nodes []SetNode) bool {
	for i := range nodes {
		if nodes[i].Set == a.left {
			return true
		}
	}
	return false
}

func (a *arena) subtractMembers(x, y []PathElement) []PathElement {
	switch {
	case len(y) == 0:
		return x
	case same(x, y):
		return nil
	}
	var room [spanRoom]span
	kept := room[:0]
	i, j, start := 0, 0, 0
	for found := false; i < len(x) && j < len(y); {
		if i, found = seekElements(x, i, &y[j]); found {
			kept = addSpan(kept, start, i, false)
			i++
			j++
			start = i
		} else if i < len(x) {
			j, _ = seekElements(y, j+1, &x[i])
		}
	}
	kept = addSpan(kept, start, len(x), false)
	return a.pick(kept, x)
}

// subtractNodes removes the paths of y from the children x. Where only x has a
// child it is kept as it is, even if it is empty. A small y costs little against
// a large x.
func (a *arena) subtractNodes(x []SetNode, y *Set, recursive bool) []SetNode {
	members, nodes := y.Members.members, y.Children.members
	if !recursive {
		members = nil
	}
	kept := nodePicker{from: x}
	i := 0
	for i < len(x) && len(members)+len(nodes) > 0 {
		// The next element of y, and what it takes away.
		order := 1
		if len(nodes) == 0 {
			order = -1
		} else if len(members) > 0 {
			order = compareElements(&members[0], &nodes[0].PathElement)
		}
		var pe *PathElement
		if order <= 0 {
			pe = &members[0]
		} else {
			pe = &nodes[0].PathElement
		}
		at, found := seekNodes(x, i, pe)
		kept.keep(a, i, at)
		i = at
		switch {
		case !found && i == len(x):
		case !found:
			// Neither has y anything for what comes before x[i].
			at, _ = seekElements(members, 0, &x[i].PathElement)
			members = members[at:]
			at, _ = seekNodes(nodes, 0, &x[i].PathElement)
			nodes = nodes[at:]
			continue
		case order > 0:
			left := a.subtract(x[i].Set, nodes[0].Set, recursive)
			if left != nil {
				a.left = left
			}
			kept.put(a, i, left, len(x)-i-1)
			i++
		default:
			i++
		}
		if order <= 0 {
			members = members[1:]
		}
		if order >= 0 {
			nodes = nodes[1:]
		}
	}
	kept.keep(a, i, len(x))
	return kept.result()
}
