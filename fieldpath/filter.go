// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

// Filter reduces sets. The filters of this package are safe for concurrent use
// and return sets that may share memory with what they are given.
type Filter interface {
	// Filter returns what is left of the set.
	Filter(*Set) *Set
}

// NewExcludeSetFilter returns a filter that removes the paths of exclude and
// everything below them.
func NewExcludeSetFilter(exclude *Set) Filter {
	return excludeFilter{exclude}
}

// NewExcludeFilterSetMap returns an exclude filter for each version in
// resetFields.
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

// NewIncludeMatcherFilter returns a filter that keeps what the merged matchers
// match. Without matchers it keeps everything.
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
