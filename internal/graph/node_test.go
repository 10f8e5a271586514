// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"reflect"
	"sync"
	"testing"
)

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		node *Node
		want Kinds
	}{
		{&Node{}, 0},
		{&Node{Scalar: Invalid}, ScalarKind},
		{&Node{List: &List{}}, ListKind},
		{&Node{Map: &Map{}}, MapKind},
		{&Node{Scalar: Untyped, List: &List{}, Map: &Map{}}, ScalarKind | ListKind | MapKind},
		{&Node{Missing: true, Nullable: true}, 0},
	} {
		if got := c.node.Kinds(); got != c.want {
			t.Errorf("%+v: got %b, want %b", c.node, got, c.want)
		}
	}
}

func TestHasKeys(t *testing.T) {
	keys := []Key{{Name: "name"}}
	for name, c := range map[string]struct {
		list *List
		want bool
	}{
		"no list":                 {nil, false},
		"a set":                   {&List{Relation: Associative, Item: &Node{Scalar: String}}, false},
		"an atomic list":          {&List{Relation: Atomic, Item: &Node{Map: &Map{}}}, false},
		"items with keys":         {&List{Relation: Associative, Keys: keys, Item: &Node{Map: &Map{}}}, true},
		"items that are one leaf": {&List{Relation: Associative, Keys: keys, Item: &Node{Map: &Map{Atomic: true}}}, false},
		"items of a missing type": {&List{Relation: Associative, Keys: keys, Item: &Node{Missing: true}}, true},
	} {
		if got := c.list.HasKeys(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestMapFields(t *testing.T) {
	a, c, other := &Node{}, &Node{}, &Node{}
	m := NewMap([]Field{{Name: "a", Type: a}, {Name: "c", Type: c, Default: 1}}, other)
	for i, name := range []string{"a", "c"} {
		f := m.Field(name)
		if f == nil || f != &m.Fields[i] || f.Rank != int32(i) {
			t.Errorf("field %s: %+v", name, f)
		}
	}
	for _, name := range []string{"", "b", "ab", "d"} {
		if f := m.Field(name); f != nil {
			t.Errorf("field %q: %+v", name, f)
		}
		if m.At(name) != other {
			t.Errorf("field %q does not have the type of undeclared fields", name)
		}
	}
	if m.At("a") != a || m.At("c") != c {
		t.Error("a declared field has the wrong type")
	}
	if empty := NewMap(nil, other); empty.Field("a") != nil || empty.At("a") != other {
		t.Error("a map without fields has one")
	}
}

// TestConcurrentPlans checks that all concurrent callers get the same plan for a type, and
// that each type has its own plan.
func TestConcurrentPlans(t *testing.T) {
	var plans Plans
	types := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[bool]()}
	got := make([]any, 64)
	var wg sync.WaitGroup
	for i := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got[i] = plans.For(types[i%len(types)], func() any { return new(int) })
		}()
	}
	wg.Wait()
	for i, plan := range got {
		if plan != got[i%len(types)] {
			t.Errorf("plan %d differs", i)
		}
		if plan == got[(i+1)%len(types)] {
			t.Errorf("plan %d belongs to another type", i)
		}
		if again := plans.For(types[i%len(types)], func() any { return nil }); again != plan {
			t.Errorf("plan %d is made again", i)
		}
	}
}
