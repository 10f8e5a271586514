// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"testing"
)

func TestPrefixMatcher(t *testing.T) {
	s := NewSet(p("spec.a"), p("spec.a.x"), p("spec.b"), p("status.a"),
		p("spec.c", k("name", "one"), "x"), p("spec.c", k("name", "two"), "x"), p("spec.c", k("name", "two"), "y"))
	for _, c := range []struct {
		name    string
		matcher *SetMatcher
		want    *Set
	}{
		{"everything", MatchAnySet(), s},
		{"nothing", NewSetMatcher(false), &Set{}},
		{"a field and what is below it", MakePrefixMatcherOrDie("spec", "a"), fields("spec.a", "spec.a.x")},
		{"any item", MakePrefixMatcherOrDie("spec", "c", MatchAnyPathElement(), "x"),
			NewSet(p("spec.c", k("name", "one"), "x"), p("spec.c", k("name", "two"), "x"))},
		{"one item", MakePrefixMatcherOrDie("spec", "c", k("name", "one")), NewSet(p("spec.c", k("name", "one"), "x"))},
		{"any field", MakePrefixMatcherOrDie(MatchAnyPathElement(), "a"), fields("spec.a", "spec.a.x", "status.a")},
		{"nothing there", MakePrefixMatcherOrDie("spec", "z"), &Set{}},
		{"element, value and index", MakePrefixMatcherOrDie(FieldNameElement("spec"), v("x"), 3), &Set{}},
		{"wildcards win", NewSetMatcher(false,
			&SetMemberMatcher{Path: PathElementMatcher{PathElement: FieldNameElement("spec")}, Child: NewSetMatcher(false)},
			&SetMemberMatcher{Path: MatchAnyPathElement(), Child: MakePrefixMatcherOrDie("b")},
		), fields("spec.b")},
		{"no child matcher", NewSetMatcher(false, &SetMemberMatcher{Path: MatchAnyPathElement()}), &Set{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := s.FilterIncludeMatches(c.matcher)
			checkShape(t, "result", got)
			if !got.Equals(c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if got := NewIncludeMatcherFilter(c.matcher).Filter(s); !got.Equals(c.want) {
				t.Errorf("filter: got\n%s", got)
			}
			if got := s.Children.FilterIncludeMatches(c.matcher); !got.Equals(&c.want.Children) {
				t.Errorf("children: got %v", got)
			}
		})
	}
}

func TestPrefixMatcherErrors(t *testing.T) {
	for want, part := range map[string]any{
		"unexpected type float64": 1.5,
		"unexpected type <nil>":   nil,
		"associative list key type path elements must have at least one key (got zero)": k(),
	} {
		if _, err := PrefixMatcher("a", part); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	MakePrefixMatcherOrDie(1.5)
}

func TestMatcherMerge(t *testing.T) {
	s := fields("a.x", "a.y", "b.x", "b.y", "c")
	a, ax, ay, bx, by := MakePrefixMatcherOrDie("a"), MakePrefixMatcherOrDie("a", "x"), MakePrefixMatcherOrDie("a", "y"),
		MakePrefixMatcherOrDie("b", "x"), MakePrefixMatcherOrDie("b", "y")
	for _, c := range []struct {
		name string
		got  *SetMatcher
		want *Set
	}{
		{"different", ax.Merge(bx), fields("a.x", "b.x")},
		{"same prefix", ax.Merge(ay), fields("a.x", "a.y")},
		{"one has all", ax.Merge(a), fields("a.x", "a.y")},
		{"with everything", ax.Merge(MatchAnySet()), s},
		// As in structured-merge-diff, Merge finds only the first member.
		{"second of two", ax.Merge(bx).Merge(by), fields("a.x", "b.x")},
		{"two wildcards", MakePrefixMatcherOrDie(MatchAnyPathElement(), "x").Merge(MakePrefixMatcherOrDie(MatchAnyPathElement(), "y")),
			fields("a.x", "b.x", "c")},
		{"without child", NewSetMatcher(false, &SetMemberMatcher{Path: PathElementMatcher{PathElement: FieldNameElement("a")}}).Merge(ax), fields("a.x")},
	} {
		if got := s.FilterIncludeMatches(c.got); !got.Equals(c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	if got := s.FilterIncludeMatches(ax); !got.Equals(fields("a.x")) {
		t.Errorf("merging changed an operand: %s", got)
	}
	if got := NewIncludeMatcherFilter().Filter(s); got != s {
		t.Errorf("no matchers: got %s", got)
	}
	if got := NewIncludeMatcherFilter(ax, bx).Filter(s); !got.Equals(fields("a.x", "b.x")) {
		t.Errorf("two matchers: got %s", got)
	}
}

func TestElementMatcher(t *testing.T) {
	any, a, b := MatchAnyPathElement(), PathElementMatcher{PathElement: FieldNameElement("a")}, PathElementMatcher{PathElement: FieldNameElement("b")}
	for _, m := range []PathElementMatcher{any, a, b} {
		if !m.Equals(m) || m.Less(m) {
			t.Errorf("%v does not equal itself", m)
		}
	}
	if any.Equals(a) || a.Equals(b) || !any.Less(a) || !a.Less(b) || b.Less(a) || a.Less(any) {
		t.Error("wrong order")
	}
	if any.Compare(a) != -1 || a.Compare(any) != 1 || a.Compare(b) != -1 || a.Compare(a) != 0 || any.Compare(any) != 1 {
		t.Error("wrong comparison")
	}
}

func TestExcludeFilters(t *testing.T) {
	s := fields("a", "a.x", "b.x", "b.y")
	exclude := fields("a", "b.x")
	if got := NewExcludeSetFilter(exclude).Filter(s); !got.Equals(fields("b.y")) {
		t.Errorf("got %s", got)
	}
	filters := NewExcludeFilterSetMap(map[APIVersion]*Set{"v1": exclude, "v2": {}})
	if got := filters["v2"].Filter(s); len(filters) != 2 || !got.Equals(s) {
		t.Errorf("got %s", got)
	}
}

// TestMergedMatchers checks that a merged matcher matches the paths of both matchers, in any
// order of their members.
func TestMergedMatchers(t *testing.T) {
	a, b, c, d := MakePrefixMatcherOrDie("a"), MakePrefixMatcherOrDie("b"), MakePrefixMatcherOrDie("c"), MakePrefixMatcherOrDie("d")
	s := fields("a.x", "b.x", "c.x", "d.x", "e.x")
	for _, m := range []*SetMatcher{
		a.Merge(b).Merge(c.Merge(d)), b.Merge(d).Merge(a.Merge(c)), c.Merge(d).Merge(a.Merge(b)), a.Merge(d).Merge(b.Merge(c)), d.Merge(c).Merge(b.Merge(a)),
	} {
		if got, want := s.FilterIncludeMatches(m), fields("a.x", "b.x", "c.x", "d.x"); !got.Equals(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if MatchAnyPathElement().Equals(PathElementMatcher{}) || !MatchAnyPathElement().Equals(MatchAnyPathElement()) {
		t.Error("a wildcard is equal to a wildcard only")
	}
}
