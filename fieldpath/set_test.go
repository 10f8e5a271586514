// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"math/rand"
	"reflect"
	"slices"
	"testing"
)

func TestSetOperations(t *testing.T) {
	x := fields("a", "a.b", "a.b.c", "d", "e.f", "e.g.h")
	y := fields("a.b", "a.x", "d", "e.g")
	for _, c := range []struct {
		name string
		got  *Set
		want *Set
	}{
		{"union", x.Union(y), fields("a", "a.b", "a.b.c", "a.x", "d", "e.f", "e.g", "e.g.h")},
		{"intersection", x.Intersection(y), fields("a.b", "d")},
		{"difference", x.Difference(y), fields("a", "a.b.c", "e.f", "e.g.h")},
		{"recursive difference", x.RecursiveDifference(y), fields("a", "e.f")},
		{"leaves", x.Leaves(), fields("a.b.c", "d", "e.f", "e.g.h")},
		{"with prefix", x.WithPrefix(FieldNameElement("a")), fields("b", "b.c")},
		{"with no such prefix", x.WithPrefix(FieldNameElement("d")), fields()},
		{"copy", x.Copy(), x},
		{"union with nothing", x.Union(fields()), x},
		{"nothing with x", fields().Union(x), x},
		{"minus itself", x.Difference(x), fields()},
		{"minus a copy", x.Difference(x.Copy()), fields()},
		{"with itself", x.Intersection(x), x},
		{"nothing in common", x.Intersection(fields("z", "e.z")), fields()},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkShape(t, "result", c.got)
			if !c.got.Equals(c.want) {
				t.Errorf("got\n%s\nwant\n%s", c.got, c.want)
			}
			if c.name != "copy" && !reflect.DeepEqual(c.got, NewSet(slices.Collect(copies(c.want))...)) {
				t.Errorf("not canonical: %#v", c.got)
			}
		})
	}
}

func copies(s *Set) func(func(Path) bool) {
	return func(yield func(Path) bool) {
		for path := range s.All() {
			if !yield(path.Copy()) {
				return
			}
		}
	}
}

func TestSetBasics(t *testing.T) {
	s := NewSet(p("a"), nil, p("a.b"), p("a"))
	if s.Size() != 2 || s.Empty() {
		t.Errorf("size %d, empty %v", s.Size(), s.Empty())
	}
	for path, want := range map[string]bool{"a": true, "a.b": true, "a.c": false, "b": false, "a.b.c": false} {
		if got := s.Has(p(path)); got != want {
			t.Errorf("has %s: %v", path, got)
		}
	}
	if s.Has(nil) {
		t.Error("the empty path is a member")
	}
	if got := s.String(); got != ".a\n.a.b" {
		t.Errorf("got %q", got)
	}
	if got := (&Set{}).String(); got != "" {
		t.Errorf("got %q for the empty set", got)
	}
}

func TestIterateMembersFirst(t *testing.T) {
	s := fields("b", "a.x", "a", "c.y.z", "c.y.w")
	want := ".a\n.b\n.a.x\n.c.y.w\n.c.y.z"
	if got := s.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got := ""
	s.Iterate(func(path Path) { got += path.String() + "\n" })
	if got != want+"\n" {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIterationStops(t *testing.T) {
	s := fields("a", "b", "c.d", "e.f.g", "e.f.h")
	for stop := range s.Size() {
		n := 0
		for range s.All() {
			if n++; n > stop {
				break
			}
		}
		if n != stop+1 {
			t.Errorf("stopping at path %d saw %d", stop, n)
		}
	}
	for range s.Members.All() {
		break
	}
	for range s.Children.All() {
		break
	}
}

// TestShortPathsAreKept checks that callers of Iterate may keep short paths without copying
// them, as some programs do.
func TestShortPathsAreKept(t *testing.T) {
	s := fields("a", "b", "c.d", "c.e", "f.g.h", "f.g.i")
	for name, kept := range map[string][]Path{"All": slices.Collect(s.All()), "Iterate": func() (out []Path) {
		s.Iterate(func(path Path) { out = append(out, path) })
		return out
	}()} {
		if got := NewSet(kept...); !got.Equals(s) {
			t.Errorf("%s: kept\n%s", name, got)
		}
	}
}

func TestDescendLeavesEmptyChild(t *testing.T) {
	s := &Set{}
	s.Children.Descend(FieldNameElement("x"))
	if !s.Empty() || s.Equals(&Set{}) || toJSON(t, s) != `{"f:x":{}}` {
		t.Errorf("empty %v, equal to nothing %v, %s", s.Empty(), s.Equals(&Set{}), toJSON(t, s))
	}
	if got := s.Intersection(s); !got.Equals(&Set{}) {
		t.Errorf("intersection keeps %#v", got)
	}
	if got := s.Union(s); got.Equals(&Set{}) {
		t.Error("union drops the child")
	}
}

// TestDifferenceWithEmptyChildren checks sets that have empty children. Difference must
// remove a child if only empty children remain in the child. It must keep empty
// children next to remaining paths.
func TestDifferenceWithEmptyChildren(t *testing.T) {
	make := func(empty []string, paths ...Path) *Set {
		s := NewSet(paths...)
		at := s
		for _, name := range empty {
			at = at.Children.Descend(FieldNameElement(name))
		}
		return s
	}
	m, n := MakePathOrDie("a", "b", "m"), MakePathOrDie("a", "b", "n")
	for _, test := range []struct{ x, y, want *Set }{
		{make([]string{"a", "b", "c"}, m), NewSet(m), NewSet()},
		{make([]string{"a", "c", "d"}, m), NewSet(m), NewSet()},
		{make([]string{"a", "c", "d"}, m, n), NewSet(m), make([]string{"a", "c", "d"}, n)},
		{make([]string{"a", "b", "c"}, m, n), NewSet(m), make([]string{"a", "b", "c"}, n)},
		{make([]string{"z"}, m), NewSet(m), make([]string{"z"})},
	} {
		if got := test.x.Difference(test.y); !got.Equals(test.want) {
			t.Errorf("%s without %s: got %s, want %s", toJSON(t, test.x), toJSON(t, test.y), toJSON(t, got), toJSON(t, test.want))
		}
	}
}

func TestFromSorted(t *testing.T) {
	members := make([]PathElement, 0, 8)
	members = append(members, FieldNameElement("a"), FieldNameElement("c"))
	s := FromSorted(members, []SetNode{{FieldNameElement("a"), fields("x")}})
	if !s.Equals(fields("a", "c", "a.x")) {
		t.Errorf("got %s", s)
	}
	s.Insert(p("b"))
	if members[:3][2].FieldName != nil || *members[1].FieldName != "c" {
		t.Error("insertion wrote into the caller's slice")
	}
	if got := FromSorted([]PathElement{}, []SetNode{}); !reflect.DeepEqual(got, &Set{}) {
		t.Errorf("not canonical: %#v", got)
	}
	if got := s.Members.Sorted(); len(got) != 3 || cap(got) != 3 || *got[1].FieldName != "b" {
		t.Errorf("sorted members: %v", got)
	}
	if got := s.Children.Sorted(); len(got) != 1 || got[0].Set.Size() != 1 {
		t.Errorf("sorted children: %v", got)
	}
}

func TestElementSet(t *testing.T) {
	make := func(names ...string) *PathElementSet {
		s := MakePathElementSet(len(names))
		for _, name := range names {
			s.Insert(FieldNameElement(name))
		}
		return &s
	}
	x, y := make("c", "a", "b", "a"), make("b", "d")
	for name, c := range map[string]struct{ got, want *PathElementSet }{
		"union":        {x.Union(y), make("a", "b", "c", "d")},
		"intersection": {x.Intersection(y), make("b")},
		"difference":   {x.Difference(y), make("a", "c")},
	} {
		if !c.got.Equals(c.want) {
			t.Errorf("%s: %v", name, c.got)
		}
	}
	if dup := x.Copy(); !dup.Equals(x) || x.Equals(y) || x.Size() != 3 || !x.Has(FieldNameElement("c")) {
		t.Errorf("%v and %v", x, dup)
	}
	n := 0
	x.Iterate(func(PathElement) { n++ })
	if n != 3 {
		t.Errorf("%d iterations", n)
	}
}

// TestInsertDoesNotReachOtherSets checks that inserting into the result of an operation does
// not change the operands at the same level. Inserting into an operand must not change the
// result.
func TestInsertDoesNotReachOtherSets(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		from := randomElements(r)
		paths := randomPaths(r, from)
		x, y := NewSet(paths...), NewSet(related(r, paths, from)...)
		before := x.String() + "/" + y.String()
		results := []*Set{x.Union(y), x.Intersection(y), x.Difference(y), x.RecursiveDifference(y), x.Leaves(), x.Copy()}
		shown := make([]string, len(results))
		for i, s := range results {
			shown[i] = s.String()
		}
		for i, s := range results {
			for range 5 {
				s.Insert(Path{randomElements(r)[0]})
			}
			if got := x.String() + "/" + y.String(); got != before {
				t.Fatalf("result %d changed its operands", i)
			}
		}
		results = []*Set{x.Union(y), x.Intersection(y), x.Difference(y), x.RecursiveDifference(y), x.Leaves(), x.Copy()}
		for range 5 {
			x.Insert(Path{randomElements(r)[0]})
			y.Insert(Path{randomElements(r)[0]})
		}
		for i, s := range results {
			if s.String() != shown[i] {
				t.Fatalf("an operand changed result %d", i)
			}
		}
	}
}
