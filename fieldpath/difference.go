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
	case len(members) == 0 && (&SetNodeMap{members: nodes}).Empty():
		return nil
	case same(members, x.Members.members) && same(nodes, x.Children.members):
		return x
	}
	return a.set(members, nodes)
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
// child it is kept as it is, even if it is empty.
func (a *arena) subtractNodes(x []SetNode, y *Set, recursive bool) []SetNode {
	members, nodes := y.Members.members, y.Children.members
	if !recursive {
		members = nil
	}
	if len(members) == 0 && len(nodes) == 0 {
		return x
	}
	kept := nodePicker{from: x}
	for i := range x {
		pe := &x[i].PathElement
		if len(members) > 0 {
			at, found := seekElements(members, 0, pe)
			members = members[at:]
			if found {
				continue
			}
		}
		set := x[i].Set
		if len(nodes) > 0 {
			at, found := seekNodes(nodes, 0, pe)
			nodes = nodes[at:]
			if found {
				set = a.subtract(set, nodes[0].Set, recursive)
			}
		}
		kept.put(a, i, set, len(x)-i-1)
	}
	return kept.result()
}
