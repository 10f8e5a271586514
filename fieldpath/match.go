// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

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
	if pattern.any() != nil {
		return a.pick([]span{{high: int32(len(x))}}, x)
	}
	var room [spanRoom]span
	kept := room[:0]
	at := 0
	for _, m := range pattern.members {
		var found bool
		if at, found = seekElements(x, at, &m.Path.PathElement); found {
			kept = addSpan(kept, at, at+1, false)
			at++
		}
	}
	return a.pick(kept, x)
}

func (a *arena) matchNodes(x []SetNode, pattern *SetMatcher) []SetNode {
	kept := nodePicker{from: x}
	if m := pattern.any(); m != nil {
		for i := range x {
			kept.put(a, i, a.match(x[i].Set, m.Child), len(x)-i-1)
		}
		return kept.result()
	}
	at := 0
	for i, m := range pattern.members {
		var found bool
		if at, found = seekNodes(x, at, &m.Path.PathElement); found {
			kept.put(a, at, a.match(x[at].Set, m.Child), min(len(x)-at, len(pattern.members)-i)-1)
			at++ // of equal members the first counts
		}
	}
	return kept.result()
}

// any returns the first member that matches every element, or nil.
func (s *SetMatcher) any() *SetMemberMatcher {
	if len(s.members) > 0 && s.members[0].Path.Wildcard {
		return s.members[0]
	}
	return nil
}
