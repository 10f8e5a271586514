// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strconv"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// A reference that is made anew for each call is compiled each time; what is
// remembered of that is bounded, and a reference that is kept is compiled once.
func TestReferencesAreBounded(t *testing.T) {
	s := &Schema{Types: []TypeDef{{Name: "a", Atom: Atom{Map: &Map{ElementType: TypeRef{Inlined: Atom{Scalar: ptr(String)}}}}}}}
	fresh := func() TypeRef {
		return TypeRef{Inlined: Atom{Map: &Map{ElementType: TypeRef{NamedType: ptr("a")}}}}
	}
	kept := fresh()
	first := s.Node(kept)
	again := 0
	for i := range 3 * maxReferences {
		if n := s.Node(fresh()); n.Map == nil || n.Map.Elem != first.Map.Elem {
			t.Fatalf("reference %d leads elsewhere", i)
		}
		if s.Node(kept) == first {
			again++
		}
	}
	c := s.computed().compilers[s.policies()].Load()
	if n := c.others.size() + len(c.others.recent); n > maxReferences {
		t.Errorf("%d references are remembered", n)
	}
	if again < 3*maxReferences-3 {
		t.Errorf("a reference that is kept was remembered %d times of %d", again, 3*maxReferences)
	}
}

func TestReferencesSettle(t *testing.T) {
	var r references
	nodes := map[string]*graph.Node{}
	for i := range 100 {
		name := strconv.Itoa(i)
		nodes[name] = &graph.Node{}
		r.add(nodeKey{name: name}, nodes[name])
	}
	for range 3 {
		for name, n := range nodes {
			if got := r.find(nodeKey{name: name}); got != nil {
				if got != n {
					t.Fatalf("%s is another node", name)
				}
			} else if r.findRecent(nodeKey{name: name}) != n {
				t.Fatalf("%s is not found", name)
			}
		}
	}
	if r.size() != 100 || r.recent != nil {
		t.Errorf("%d are settled, %d are not", r.size(), len(r.recent))
	}
	if r.find(nodeKey{name: "x"}) != nil || r.findRecent(nodeKey{name: "x"}) != nil {
		t.Error("what was not added is found")
	}
}
