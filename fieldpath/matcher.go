// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"slices"
	"sort"

	"github.com/dovetail-ssa/dovetail/value"
)

// SetMatcher selects paths of a Set. Matchers are immutable.
type SetMatcher struct {
	// wildcard is true if the matcher matches all paths. members is then ignored.
	wildcard bool
	// members is sorted by Path, wildcards first. If several members match an element, only the
	// first one has an effect.
	members []*SetMemberMatcher
}

// SetMemberMatcher matches one element of a path and the paths below it.
type SetMemberMatcher struct {
	// Path selects elements. A path that ends with a selected element matches.
	Path PathElementMatcher

	// Child determines which paths below the selected elements match. If Child is nil, none match.
	Child *SetMatcher
}

// PathElementMatcher matches one element or all elements.
type PathElementMatcher struct {
	// Wildcard is true if the matcher matches every element. PathElement is then ignored.
	Wildcard bool

	// PathElement is the only element that the matcher matches.
	PathElement
}

// NewSetMatcher returns a matcher for the paths that members match, or for all paths if wildcard is
// true. Wildcard members take precedence over all other members, regardless of the order of the
// arguments.
func NewSetMatcher(wildcard bool, members ...*SetMemberMatcher) *SetMatcher {
	members = slices.Clone(members)
	slices.SortStableFunc(members, inOrder)
	return &SetMatcher{wildcard: wildcard, members: members}
}

// inOrder compares two members. Wildcards come first, and other members are ordered by
// element.
func inOrder(m, m2 *SetMemberMatcher) int {
	if m.Path.Wildcard || m2.Path.Wildcard {
		return value.BoolCompare(m2.Path.Wildcard, m.Path.Wildcard)
	}
	return compareElements(&m.Path.PathElement, &m2.Path.PathElement)
}

// MatchAnySet returns a matcher that matches everything.
func MatchAnySet() *SetMatcher {
	return &SetMatcher{wildcard: true}
}

// MatchAnyPathElement returns a matcher that matches every element.
func MatchAnyPathElement() PathElementMatcher {
	return PathElementMatcher{Wildcard: true}
}

// PrefixMatcher returns a matcher for the path that consists of the given parts. The matcher also
// matches all parents of this path, and all paths below it. Each part is a PathElementMatcher or an
// argument that MakePath accepts. Any other part is an error.
func PrefixMatcher(parts ...interface{}) (*SetMatcher, error) {
	matcher := MatchAnySet()
	for i := len(parts) - 1; i >= 0; i-- {
		step, ok := parts[i].(PathElementMatcher)
		if !ok {
			pe, err := makeElement(parts[i], "unexpected type %T")
			if err != nil {
				return nil, err
			}
			step = PathElementMatcher{PathElement: pe}
		}
		matcher = &SetMatcher{members: []*SetMemberMatcher{{Path: step, Child: matcher}}}
	}
	return matcher, nil
}

// MakePrefixMatcherOrDie is like PrefixMatcher, but panics instead of returning an error. It
// is for literals in code.
func MakePrefixMatcherOrDie(parts ...interface{}) *SetMatcher {
	matcher, err := PrefixMatcher(parts...)
	if err != nil {
		panic(err)
	}
	return matcher
}

// Merge returns a matcher that combines s and s2. If s or s2 matches all paths, the result matches
// all paths. Otherwise the result has the members of both. If Merge finds a member of s with the
// same Path as a member of s2, it merges the two.
//
// The search for the member of s has the same bug as in structured-merge-diff: it is a binary
// search that assumes a different order of the members. It always finds the first member of s,
// never finds a wildcard, and finds other members only sometimes. A member of s2 that is not merged
// comes after the member of s with the same Path, and has no effect.
func (s *SetMatcher) Merge(s2 *SetMatcher) *SetMatcher {
	if s.wildcard || s2.wildcard {
		return MatchAnySet()
	}
	merged := slices.Clone(s.members)
	for _, m := range s2.members {
		at, found := sort.Find(len(s.members), func(i int) int {
			return s.members[i].Path.Compare(m.Path)
		})
		if !found {
			merged = append(merged, m)
			continue
		}
		merged[at] = &SetMemberMatcher{
			Path:  merged[at].Path,
			Child: merged[at].Child.mergeChild(m.Child),
		}
	}
	slices.SortStableFunc(merged, inOrder)
	return &SetMatcher{members: merged}
}

func (s *SetMatcher) mergeChild(s2 *SetMatcher) *SetMatcher {
	switch {
	case s == nil:
		return s2
	case s2 == nil:
		return s
	}
	return s.Merge(s2)
}

// Equals reports whether p and p2 match the same elements.
func (p PathElementMatcher) Equals(p2 PathElementMatcher) bool {
	if p.Wildcard || p2.Wildcard {
		return p.Wildcard == p2.Wildcard
	}
	return equalElements(&p.PathElement, &p2.PathElement)
}

// Less reports whether p comes before p2. Wildcards come before all elements, which are in
// the order of PathElement.Compare.
func (p PathElementMatcher) Less(p2 PathElementMatcher) bool {
	return inOrder(&SetMemberMatcher{Path: p}, &SetMemberMatcher{Path: p2}) < 0
}

// Compare returns -1, 0 or 1, in the order of Less. If both are wildcards, it returns 1.
func (p PathElementMatcher) Compare(p2 PathElementMatcher) int {
	switch {
	case p2.Wildcard:
		return 1
	case p.Wildcard:
		return -1
	}
	return compareElements(&p.PathElement, &p2.PathElement)
}

// FilterIncludeMatches returns the paths of s that pattern matches. If pattern matches
// everything, it returns s itself.
func (s *Set) FilterIncludeMatches(pattern *SetMatcher) *Set {
	if pattern.wildcard {
		return s
	}
	var a arena
	return a.set(a.matchMembers(s.Members.members, pattern), a.matchNodes(s.Children.members, pattern))
}

// match returns the paths of s that pattern matches. It returns nil if pattern matches none,
// and s itself if pattern matches all.
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
	if len(members)+len(nodes) == 0 {
		return nil
	}
	return a.setLike(s, members, nodes)
}

func (a *arena) matchMembers(x []PathElement, pattern *SetMatcher) []PathElement {
	if pattern.wildcardMember() != nil {
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
	if m := pattern.wildcardMember(); m != nil {
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
			at++ // skip later members with an equal element
		}
	}
	return kept.result()
}

// wildcardMember returns the first member that is a wildcard, or nil.
func (s *SetMatcher) wildcardMember() *SetMemberMatcher {
	if len(s.members) > 0 && s.members[0].Path.Wildcard {
		return s.members[0]
	}
	return nil
}

// Filter removes paths from sets. The filters of this package are safe for concurrent use.
// The sets that they return may share memory with their arguments.
type Filter interface {
	// Filter returns the paths of the set that the filter keeps.
	Filter(*Set) *Set
}

// NewExcludeSetFilter returns a filter that removes the paths of exclude and
// everything below them.
func NewExcludeSetFilter(exclude *Set) Filter {
	return excludeFilter{exclude}
}

// NewExcludeFilterSetMap calls NewExcludeSetFilter for the set of each version in resetFields.
func NewExcludeFilterSetMap(resetFields map[APIVersion]*Set) map[APIVersion]Filter {
	filters := make(map[APIVersion]Filter, len(resetFields))
	for version, exclude := range resetFields {
		filters[version] = excludeFilter{exclude}
	}
	return filters
}

type excludeFilter struct {
	exclude *Set
}

func (f excludeFilter) Filter(set *Set) *Set {
	return set.RecursiveDifference(f.exclude)
}

// NewIncludeMatcherFilter returns a filter that keeps the paths that the merged matchers
// match (see SetMatcher.Merge). Without matchers it keeps everything.
func NewIncludeMatcherFilter(matchers ...*SetMatcher) Filter {
	if len(matchers) == 0 {
		return includeFilter{MatchAnySet()}
	}
	merged := matchers[0]
	for _, matcher := range matchers[1:] {
		merged = merged.Merge(matcher)
	}
	return includeFilter{merged}
}

type includeFilter struct {
	include *SetMatcher
}

func (f includeFilter) Filter(set *Set) *Set {
	return set.FilterIncludeMatches(f.include)
}
