// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownedset

import (
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestReconciled checks for which sets the quick check, isReconciled, returns true. Reconcile
// must not change these sets.
func TestReconciled(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	closed := func() *graph.Node { return &graph.Node{} }
	fields := func(of ...graph.Field) *graph.Node { return &graph.Node{Map: graph.NewMap(of, closed())} }
	field := func(name string, n *graph.Node) graph.Field { return graph.Field{Name: name, Type: n} }
	atomic := fields(field("x", text))
	atomic.Map.Atomic = true
	labels := &graph.Node{Map: graph.NewMap(nil, text)}
	labels.Map.Open = true
	deduced := &graph.Node{Map: graph.NewMap(nil, atomic)}
	deduced.Map.Open, deduced.Map.Deduced = true, true
	item := fields(field("name", text), field("ref", atomic))
	items := &graph.Node{List: &graph.List{Item: item, Relation: graph.Associative, Keys: []graph.Key{{Name: "name"}}}}
	block := &graph.Node{List: &graph.List{Item: item, Relation: graph.Atomic}}
	// wide has many fields that need reconciliation, and undeclared fields.
	wide := fields(field("calm", text))
	for i := range 9 {
		wide.Map.SetFields(append(wide.Map.Fields, field(fmt.Sprint("field", i), atomic)))
	}
	open := fields(field("calm", labels), field("ref", atomic))
	open.Map.Open, open.Map.Elem = true, atomic
	both := &graph.Node{Map: graph.NewMap([]graph.Field{field("ref", item)}, text)}
	both.Map.Open = true
	root := fields(field("atomic", atomic), field("block", block), field("deduced", deduced), field("items", items), field("labels", labels),
		field("open", open), field("openref", both), field("wide", wide), field("lost", &graph.Node{Missing: true, Type: "lost"}))
	// root is unsound, because the type of one field is missing. sound has all fields
	// except this one.
	sound := fields(root.Map.Fields[:8]...)
	for _, n := range []*graph.Node{root, sound} {
		graph.FindFacts([]*graph.Node{text, atomic, labels, deduced, item, items, block, wide, open, both, n, n.Map.Elem, atomic.Map.Elem, item.Map.Elem, wide.Map.Elem})
	}
	one := fieldpath.KeyByFields("name", "a")
	for _, c := range []struct {
		path []any
		want bool
	}{
		{[]any{"atomic"}, true},
		{[]any{"atomic", "x"}, false},
		{[]any{"block"}, true},
		{[]any{"block", 1, "name"}, false},
		{[]any{"deduced", "any", "x"}, true},
		{[]any{"items", one}, true},
		{[]any{"items", one, "name"}, true},
		{[]any{"items", one, "ref"}, true},
		{[]any{"items", one, "ref", "x"}, false},
		{[]any{"items", one, "unknown", "x"}, true},
		{[]any{"labels", "a"}, true},
		{[]any{"labels", "a", "x"}, true},
		{[]any{"open", "calm", "a"}, true},
		{[]any{"open", "other"}, true},
		{[]any{"open", "other", "x"}, false},
		{[]any{"open", "ref", "x"}, false},
		{[]any{"openref", "other", "x"}, true},
		{[]any{"openref", "ref", "ref"}, true},
		{[]any{"openref", "ref", "ref", "x"}, false},
		{[]any{"wide", "calm"}, true},
		{[]any{"wide", "field8"}, true},
		{[]any{"wide", "field8", "x"}, false},
		{[]any{"wide", "unknown", "x"}, true},
		{[]any{"unknown", "x"}, true},
	} {
		set := fieldpath.NewSet(fieldpath.MakePathOrDie(c.path...))
		if got := isReconciled(sound, set); got != c.want {
			t.Errorf("%v: reconciled is %v, want %v", set, got, c.want)
		}
		r := reconciler{}
		if changed := r.convert(sound, set) != set; changed == c.want || r.findings != nil {
			t.Errorf("%v: changed %v, findings %v", set, changed, r.findings)
		}
		if isReconciled(root, set) {
			t.Errorf("%v is reconciled although a type is missing", set)
		}
	}
	// A member whose type is missing must be reported, even next to members with paths below
	// them.
	r := reconciler{}
	r.convert(root, fieldpath.NewSet(fieldpath.MakePathOrDie("atomic"), fieldpath.MakePathOrDie("items"), fieldpath.MakePathOrDie("items", one), fieldpath.MakePathOrDie("lost")))
	if len(r.findings) != 1 {
		t.Errorf("a member of a missing type: got %v", r.findings)
	}
	// The member must also be reported if other parts of the set change.
	for range 2 {
		out, findings := Reconcile(root, fieldpath.NewSet(fieldpath.MakePathOrDie("atomic", "x"), fieldpath.MakePathOrDie("lost")))
		if out != nil || len(findings) != 1 {
			t.Errorf("got %v, %v", out, findings)
		}
	}
	// This set needs the full check, but it must not change.
	if out, findings := Reconcile(sound, fieldpath.NewSet(fieldpath.MakePathOrDie("unknown", "x"), fieldpath.MakePathOrDie("open", "calm", "a"))); out != nil || findings != nil {
		t.Errorf("got %v, %v", out, findings)
	}
}
