package fieldpath

// FilterIncludeMatches returns the paths of s that the pattern matches: at each
// level the members that one of its steps matches, and what its next step
// matches below them. A pattern that matches everything returns s itself.
func (s *Set) FilterIncludeMatches(pattern *SetMatcher) *Set {
	if pattern.wildcard {
		return s
	}
	var a arena
	out := a.sets.one()
	a.fill(out,
		a.matchMembers(s.Members.members, pattern),
		a.matchNodes(s.Children.members, pattern))
	return out
}

// match returns s itself where that is the result, and nil when no path
// matches.
func (a *arena) match(s *Set, pattern *SetMatcher) *Set {
	if pattern == nil {
		return nil
	}
	if pattern.wildcard {
		if s.Empty() {
			return nil
		}
		return s
	}
	members := a.matchMembers(s.Members.members, pattern)
	nodes := a.matchNodes(s.Children.members, pattern)
	switch {
	case len(members) == 0 && len(nodes) == 0:
		return nil
	case same(members, s.Members.members) && same(nodes, s.Children.members):
		return s
	}
	return a.set(members, nodes)
}

func (a *arena) matchMembers(x []PathElement, pattern *SetMatcher) []PathElement {
	var room [spanRoom]span
	kept := room[:0]
	for i := range x {
		if pattern.first(&x[i]) != nil {
			kept = addSpan(kept, i, i+1, false)
		}
	}
	return a.pick(kept, x)
}

func (a *arena) matchNodes(x []SetNode, pattern *SetMatcher) []SetNode {
	kept := nodePicker{from: x}
	for i := range x {
		if m := pattern.first(&x[i].PathElement); m != nil {
			kept.put(a, i, a.match(x[i].Set, m.Child), len(x)-i-1)
		}
	}
	return kept.result()
}

// first returns the first member that matches pe, or nil.
func (s *SetMatcher) first(pe *PathElement) *SetMemberMatcher {
	for _, m := range s.members {
		if m.Path.matches(pe) {
			return m
		}
	}
	return nil
}
