// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

// Intersection returns the paths that are in both sets. Where the sets write an
// equal element differently, the result has that of s.
func (s *Set) Intersection(s2 *Set) *Set {
	var a arena
	out := a.sets.one()
	a.fill(out,
		a.intersectMembers(s.Members.members, s2.Members.members),
		a.intersectNodes(s.Children.members, s2.Children.members))
	return out
}

// intersect returns x itself where that is the result, and nil when nothing is
// left.
func (a *arena) intersect(x, y *Set) *Set {
	members, nodes := x.Members.members, []SetNode(nil)
	if x == y {
		nodes = a.dropEmpty(x.Children.members)
	} else {
		members = a.intersectMembers(members, y.Members.members)
		nodes = a.intersectNodes(x.Children.members, y.Children.members)
	}
	switch {
	case len(members) == 0 && len(nodes) == 0:
		return nil
	case same(members, x.Members.members) && same(nodes, x.Children.members):
		return x
	}
	return a.set(members, nodes)
}

func (a *arena) intersectMembers(x, y []PathElement) []PathElement {
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	if same(x, y) {
		return x
	}
	var room [spanRoom]span
	kept := room[:0]
	i, j := 0, 0
	for found := false; i < len(x) && j < len(y); {
		if j, found = seekElements(y, j, &x[i]); found {
			kept = addSpan(kept, i, i+1, false)
			i++
			j++
		} else if j < len(y) {
			i, _ = seekElements(x, i+1, &y[j])
		}
	}
	return a.pick(kept, x)
}

func (a *arena) intersectNodes(x, y []SetNode) []SetNode {
	kept := nodePicker{from: x}
	i, j := 0, 0
	for found := false; i < len(x) && j < len(y); {
		if j, found = seekNodes(y, j, &x[i].PathElement); found {
			set := a.intersect(x[i].Set, y[j].Set)
			kept.put(a, i, set, min(len(x)-i, len(y)-j)-1)
			i++
			j++
		} else if j < len(y) {
			i, _ = seekNodes(x, i+1, &y[j].PathElement)
		}
	}
	return kept.result()
}

// dropEmpty removes children without a path at any depth, as intersecting a
// set with itself does.
func (a *arena) dropEmpty(x []SetNode) []SetNode {
	kept := nodePicker{from: x}
	for i := range x {
		kept.put(a, i, a.intersect(x[i].Set, x[i].Set), len(x)-i-1)
	}
	return kept.result()
}
