// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package carry

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
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
	_, _, wrong := carry(keyedBy("a", true), keyedBy("b", true), items, set)
	if len(wrong) != 1 || !strings.Contains(wrong[0].Message, "more than") {
		t.Errorf("got %v", wrong)
	}
	_, moves, wrong := carry(keyedBy("a", true), keyedBy("b", true), items[:100], set)
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
	if _, _, wrong := carry(list, &graph.Node{Missing: true, Type: "Gone"}, nil, set); wrong == nil {
		t.Error("a missing type is accepted")
	}
	out, moves, wrong := carry(list, &graph.Node{Scalar: graph.String}, []any{}, set)
	if wrong != nil || out != set || len(moves) != 1 || moves[0].Reason != ReasonKindChanged {
		t.Errorf("got %v, %v, %v", out, moves, wrong)
	}
	// A scalar has nothing in it that would be owned as a whole from now on.
	text := &graph.Node{Scalar: graph.String}
	root := func(m *graph.Node) *graph.Node { return mapOfFields(false, graph.Field{Name: "m", Type: m}) }
	was := root(mapOfFields(false, graph.Field{Name: "x", Type: text}))
	set = fieldpath.NewSet(fieldpath.MakePathOrDie("m"))
	out, moves, wrong = carry(was, root(text), map[string]any{"m": map[string]any{"x": "a"}}, set)
	if wrong != nil || out != set || len(moves) != 0 {
		t.Errorf("a map that is a scalar now: got %v, %v, %v", out, moves, wrong)
	}
}

// An entry that names no live item is told of if there is one that it would name with
// the new default.
func TestCarryOfAnItemThatIsNotLive(t *testing.T) {
	protocol := func(def string) *graph.Node {
		root := protocols()
		root.Map.Field("ports").Type.List.Keys[1].Absent = def
		return root
	}
	tcp := fieldpath.KeyByFields("port", 80, "protocol", "TCP")
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("ports", tcp), fieldpath.MakePathOrDie("ports", tcp, "port"))
	for name, c := range map[string]struct {
		live []any
		told bool
	}{
		"no item":              {nil, false},
		"an item of that name": {[]any{portOf(80, "TCP")}, false},
		"another item":         {[]any{portOf(81, "UDP")}, false},
		"with the new default": {[]any{portOf(80, "UDP")}, true},
	} {
		out, moves, wrong := carry(protocol("TCP"), protocol("UDP"), map[string]any{"ports": c.live}, set)
		told := slices.ContainsFunc(moves, func(m Move) bool { return m.Reason == ReasonNoItem })
		if wrong != nil || out != set || told != c.told {
			t.Errorf("%s: got %v, moves %v, %v", name, out, moves, wrong)
		}
	}
}

// What is owned without what is in it is told to be owned as a whole from now on,
// if there is anything in it; a whole that falls apart is owned piece by piece.
func TestCarryBetweenAtomicAndGranular(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	in := graph.Field{Name: "x", Type: text}
	root := func(atomic bool) *graph.Node {
		texts := &graph.Node{List: &graph.List{Item: text, Relation: graph.Associative}}
		if atomic {
			texts.List.Relation = graph.Atomic
		}
		return mapOfFields(false, graph.Field{Name: "m", Type: mapOfFields(atomic, in)}, graph.Field{Name: "l", Type: texts})
	}
	path := fieldpath.MakePathOrDie
	for name, c := range map[string]struct {
		live   any
		set    *fieldpath.Set
		atomic bool // is, and was not
		want   *fieldpath.Set
		moves  int
	}{
		"a map":                   {map[string]any{"m": map[string]any{"x": "a"}}, fieldpath.NewSet(path("m")), true, fieldpath.NewSet(path("m")), 1},
		"an empty map":            {map[string]any{"m": map[string]any{}}, fieldpath.NewSet(path("m")), true, fieldpath.NewSet(path("m")), 0},
		"a list":                  {map[string]any{"l": []any{"a"}}, fieldpath.NewSet(path("l")), true, fieldpath.NewSet(path("l")), 1},
		"an empty list":           {map[string]any{"l": []any{}}, fieldpath.NewSet(path("l")), true, fieldpath.NewSet(path("l")), 0},
		"null":                    {map[string]any{"m": nil}, fieldpath.NewSet(path("m")), true, fieldpath.NewSet(path("m")), 0},
		"pieces":                  {map[string]any{"m": map[string]any{"x": "a"}}, fieldpath.NewSet(path("m", "x")), true, fieldpath.NewSet(path("m")), 1},
		"beside an unknown field": {map[string]any{"m": map[string]any{"x": "a"}}, fieldpath.NewSet(path("a", "x"), path("m", "x")), true, fieldpath.NewSet(path("a", "x"), path("m")), 1},
		"a whole map":             {map[string]any{"m": map[string]any{"x": "a"}}, fieldpath.NewSet(path("m")), false, fieldpath.NewSet(path("m", "x")), 1},
		"a whole list":            {map[string]any{"l": []any{"a"}}, fieldpath.NewSet(path("l")), false, fieldpath.NewSet(path("l", value.NewValueInterface("a"))), 1},
	} {
		out, moves, wrong := carry(root(!c.atomic), root(c.atomic), c.live, c.set)
		if wrong != nil || !out.Equals(c.want) || len(moves) != c.moves {
			t.Errorf("%s: got %v, moves %v, %v, want %v, %d moves", name, out, moves, wrong, c.want, c.moves)
		}
	}
	c := &Carrier{}
	got := c.whole(mapOfFields(false, in), []any{nil, map[string]any{"x": "a"}})
	if want := fieldpath.NewSet(path("x")); got == nil || !got.Equals(want) {
		t.Errorf("the first of two is null: got %v, want %v", got, want)
	}
	// All that falls apart is counted.
	c = &Carrier{size: MaxPaths - 1}
	for _, last := range []bool{false, true} {
		if got := c.whole(mapOfFields(false, in), []any{map[string]any{"x": "a"}}); (got == nil) != last || (c.wrong != nil) != last {
			t.Errorf("as many paths as there may be, or one more (%v): got %v, %v", last, got, c.wrong)
		}
	}
}

// Who owns a map as a whole is told of a key in it whose default has changed; who owns it
// without what is in it is not.
func TestCarryBesideADefaultedKey(t *testing.T) {
	root := func(atomic bool, def string) *graph.Node {
		holder := protocols()
		holder.Map.Field("ports").Type.List.Keys[1].Absent = def
		holder.Map.Atomic = atomic
		return mapOfFields(false, graph.Field{Name: "m", Type: holder})
	}
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("m"))
	for _, c := range []struct {
		atomic   bool
		now      string
		protocol string
		told     bool
	}{
		{true, "UDP", "TCP", true}, {true, "UDP", "UDP", false}, {true, "TCP", "TCP", false}, {false, "UDP", "TCP", false},
	} {
		live := map[string]any{"m": map[string]any{"ports": []any{portOf(80, c.protocol)}}}
		out, moves, wrong := carry(root(c.atomic, "TCP"), root(c.atomic, c.now), live, set)
		told := len(moves) == 1 && moves[0].Reason == ReasonLeftOut
		if wrong != nil || !out.Equals(set) || told != c.told || len(moves) > 1 {
			t.Errorf("%+v: got %v, moves %v, %v", c, out, moves, wrong)
		}
	}
}

func carry(old, now *graph.Node, live any, set *fieldpath.Set) (*fieldpath.Set, []Move, diag.Findings) {
	return New(old, now, live).Carry(set)
}

func mapOfFields(atomic bool, fields ...graph.Field) *graph.Node {
	n := &graph.Node{Map: graph.NewMap(fields, &graph.Node{})}
	n.Map.Atomic = atomic
	return n
}

// protocols is a map with a list of ports, keyed by port and protocol.
func protocols() *graph.Node {
	text, number := &graph.Node{Scalar: graph.String}, &graph.Node{Scalar: graph.Numeric}
	ofPort := mapOfFields(false, graph.Field{Name: "port", Type: number}, graph.Field{Name: "protocol", Type: text})
	list := &graph.Node{List: &graph.List{Item: ofPort, Relation: graph.Associative, Keys: []graph.Key{{Name: "port"}, {Name: "protocol"}}, KeyNames: []string{"port", "protocol"}}}
	root := mapOfFields(false, graph.Field{Name: "ports", Type: list})
	graph.FindFacts([]*graph.Node{text, number, ofPort, list, root, ofPort.Map.Elem, root.Map.Elem})
	return root
}

func portOf(n int64, protocol string) any { return map[string]any{"port": n, "protocol": protocol} }
