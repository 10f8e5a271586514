// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// keyedBy is a list of maps with any fields, told apart by one of them.
func keyedBy(key string, declarative bool) *graph.Node {
	text := &graph.Node{Scalar: graph.Untyped, Declarative: declarative}
	item := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: key, Type: text}}, text), Declarative: declarative}
	item.Map.Open = true
	k := graph.Key{Name: key, NullIsMissing: declarative}
	return &graph.Node{
		List:        &graph.List{Item: item, Relation: graph.Associative, Keys: []graph.Key{k}, KeyNames: []string{key}, Declarative: declarative},
		Declarative: declarative,
	}
}

// An entry that named many items has what is below it once for each; that is
// bounded.
func TestCarryIsBounded(t *testing.T) {
	var items []any
	for i := range 2000 {
		items = append(items, map[string]any{"a": "same", "b": int64(i)})
	}
	set := fieldpath.NewSet()
	for i := range 1000 {
		set.Insert(fieldpath.MakePathOrDie(fieldpath.KeyByFields("a", "same"), strings.Repeat("x", i+1)))
	}
	_, _, wrong := Carry(keyedBy("a", true), keyedBy("b", true), items, set)
	if len(wrong) != 1 || !strings.Contains(wrong[0].Message, "more than") {
		t.Errorf("got %v", wrong)
	}
	_, moves, wrong := Carry(keyedBy("a", true), keyedBy("b", true), items[:100], set)
	count := map[Reason]int{}
	for _, m := range moves {
		count[m.Reason]++
	}
	// Who has none of the items' b names none when it applies the same again.
	if wrong != nil || len(moves) != 200 || count[ReasonSplit] != 100 || count[ReasonLeftOut] != 100 {
		t.Errorf("got %v, moves %v", wrong, count)
	}
}

func TestCarryTypes(t *testing.T) {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie(fieldpath.KeyByFields("a", "x")))
	list := keyedBy("a", true)
	if _, _, wrong := Carry(list, &graph.Node{Missing: true, Type: "Gone"}, nil, set); wrong == nil {
		t.Error("a missing type is accepted")
	}
	out, moves, wrong := Carry(list, &graph.Node{Scalar: graph.String}, []any{}, set)
	if wrong != nil || out != set || len(moves) != 1 || moves[0].Reason != ReasonKindChanged {
		t.Errorf("got %v, %v, %v", out, moves, wrong)
	}
}

// A stored key that is null, or lacks one that has a default, is what it means
// today; one that would be left without any key stays.
func TestRekeyedKeys(t *testing.T) {
	l := keyedBy("a", true).List
	l.Keys = append(l.Keys, graph.Key{Name: "b", NullIsMissing: true, Absent: "d"}, graph.Key{Name: "c", NullIsMissing: true})
	for _, c := range []struct{ key, want fieldpath.PathElement }{
		{*key("a", 1, "b", "d"), *key("a", 1, "b", "d")},
		{*key("a", 1), *key("a", 1, "b", "d")},
		{*key("a", 1, "b", nil, "c", nil), *key("a", 1, "b", "d")},
		{*key("c", nil), *key("b", "d")},
		{*key("a", 1, "z", 2), *key("a", 1, "z", 2)},
	} {
		if got := fillKey(l, c.key); !got.Equals(c.want) {
			t.Errorf("%v: got %v, want %v", c.key, got, c.want)
		}
	}
	l.Keys[1].Absent = nil
	none := fieldpath.NewSet(fieldpath.Path{*key("c", nil)})
	if got := rekeyed(l, none); got != none {
		t.Errorf("got %v", got)
	}
}

func key(pairs ...any) *fieldpath.PathElement {
	return &fieldpath.PathElement{Key: fieldpath.KeyByFields(pairs...)}
}
