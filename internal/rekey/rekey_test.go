// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package rekey

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// keyedBy returns a list type whose items are maps with arbitrary fields. One of the fields
// is the key.
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

// TestRekeyLimitsPaths checks the limit on the number of paths. An element that identified
// many items becomes many elements, each with a copy of everything below it.
func TestRekeyLimitsPaths(t *testing.T) {
	var items []any
	for i := range 2000 {
		items = append(items, map[string]any{"a": "same", "b": int64(i)})
	}
	set := fieldpath.NewSet()
	for i := range 1000 {
		set.Insert(fieldpath.MakePathOrDie(fieldpath.KeyByFields("a", "same"), strings.Repeat("x", i+1)))
	}
	_, _, findings := rekey(keyedBy("a", true), keyedBy("b", true), items, set)
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "more than") {
		t.Errorf("got %v", findings)
	}
	_, moves, findings := rekey(keyedBy("a", true), keyedBy("b", true), items[:100], set)
	count := map[Reason]int{}
	for _, m := range moves {
		count[m.Reason]++
	}
	// The owner does not own the new key b of any item. If the owner applied the same
	// config again, the config would not identify any item.
	if findings != nil || len(moves) != 200 || count[ReasonSplit] != 100 || count[ReasonLeftOut] != 100 {
		t.Errorf("got %v, moves %v", findings, count)
	}
}

func TestRekeyTypes(t *testing.T) {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie(fieldpath.KeyByFields("a", "x")))
	list := keyedBy("a", true)
	if _, _, findings := rekey(list, &graph.Node{Missing: true, Type: "Gone"}, nil, set); findings == nil {
		t.Error("a missing type is accepted")
	}
	out, moves, findings := rekey(list, &graph.Node{Scalar: graph.String}, []any{}, set)
	if findings != nil || out != set || len(moves) != 1 || moves[0].Reason != ReasonKindChanged {
		t.Errorf("got %v, %v, %v", out, moves, findings)
	}
	// A scalar has no contents that its owner could now own.
	text := &graph.Node{Scalar: graph.String}
	root := func(m *graph.Node) *graph.Node { return mapOfFields(false, graph.Field{Name: "m", Type: m}) }
	was := root(mapOfFields(false, graph.Field{Name: "x", Type: text}))
	set = fieldpath.NewSet(fieldpath.MakePathOrDie("m"))
	out, moves, findings = rekey(was, root(text), map[string]any{"m": map[string]any{"x": "a"}}, set)
	if findings != nil || out != set || len(moves) != 0 {
		t.Errorf("a map that became a scalar: got %v, %v, %v", out, moves, findings)
	}
}

// TestRekeyItemThatIsNotLive checks an element that identifies no live item. It must be
// reported only if a live item has the same identity with the new default.
func TestRekeyItemThatIsNotLive(t *testing.T) {
	protocol := func(def string) *graph.Node {
		root := protocols()
		root.Map.Field("ports").Type.List.Keys[1].IfMissing = def
		return root
	}
	tcp := fieldpath.KeyByFields("port", 80, "protocol", "TCP")
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("ports", tcp), fieldpath.MakePathOrDie("ports", tcp, "port"))
	for name, c := range map[string]struct {
		live     []any
		reported bool
	}{
		"no item":              {nil, false},
		"an item of that name": {[]any{portOf(80, "TCP")}, false},
		"another item":         {[]any{portOf(81, "UDP")}, false},
		"with the new default": {[]any{portOf(80, "UDP")}, true},
	} {
		out, moves, findings := rekey(protocol("TCP"), protocol("UDP"), map[string]any{"ports": c.live}, set)
		reported := slices.ContainsFunc(moves, func(m Move) bool { return m.Reason == ReasonNoItem })
		if findings != nil || out != set || reported != c.reported {
			t.Errorf("%s: got %v, moves %v, %v", name, out, moves, findings)
		}
	}
}

// TestRekeyAtomicAndGranular checks a container that was owned without its contents and
// becomes atomic. If the container has contents, a Move must report the change. If an
// atomic container becomes granular, its owner must own the parts.
func TestRekeyAtomicAndGranular(t *testing.T) {
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
		atomic bool // true if the container becomes atomic, and false if it becomes granular
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
		out, moves, findings := rekey(root(!c.atomic), root(c.atomic), c.live, c.set)
		if findings != nil || !out.Equals(c.want) || len(moves) != c.moves {
			t.Errorf("%s: got %v, moves %v, %v, want %v, %d moves", name, out, moves, findings, c.want, c.moves)
		}
	}
	c := &Rekeyer{}
	got := c.allPaths(mapOfFields(false, in), []any{nil, map[string]any{"x": "a"}})
	if want := fieldpath.NewSet(path("x")); got == nil || !got.Equals(want) {
		t.Errorf("the first of two is null: got %v, want %v", got, want)
	}
	// All paths of a container that became granular count towards the limit.
	c = &Rekeyer{size: MaxPaths - 1}
	for _, last := range []bool{false, true} {
		if got := c.allPaths(mapOfFields(false, in), []any{map[string]any{"x": "a"}}); (got == nil) != last || (c.findings != nil) != last {
			t.Errorf("at the maximum, or one more (%v): got %v, %v", last, got, c.findings)
		}
	}
}

// TestRekeyDefaultedKeyInAtomicMap changes the default of a key in an atomic map. There must
// be a Move for the owner of the map. There must be no Move if the map is granular and the
// manager owns only the map, without its contents.
func TestRekeyDefaultedKeyInAtomicMap(t *testing.T) {
	root := func(atomic bool, def string) *graph.Node {
		holder := protocols()
		holder.Map.Field("ports").Type.List.Keys[1].IfMissing = def
		holder.Map.Atomic = atomic
		return mapOfFields(false, graph.Field{Name: "m", Type: holder})
	}
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("m"))
	for _, c := range []struct {
		atomic   bool
		now      string
		protocol string
		reported bool
	}{
		{true, "UDP", "TCP", true}, {true, "UDP", "UDP", false}, {true, "TCP", "TCP", false}, {false, "UDP", "TCP", false},
	} {
		live := map[string]any{"m": map[string]any{"ports": []any{portOf(80, c.protocol)}}}
		out, moves, findings := rekey(root(c.atomic, "TCP"), root(c.atomic, c.now), live, set)
		reported := len(moves) == 1 && moves[0].Reason == ReasonLeftOut
		if findings != nil || !out.Equals(set) || reported != c.reported || len(moves) > 1 {
			t.Errorf("%+v: got %v, moves %v, %v", c, out, moves, findings)
		}
	}
}

func rekey(old, now *graph.Node, live any, set *fieldpath.Set) (*fieldpath.Set, []Move, diag.Findings) {
	return New(old, now, live).Rekey(set)
}

func mapOfFields(atomic bool, fields ...graph.Field) *graph.Node {
	n := &graph.Node{Map: graph.NewMap(fields, &graph.Node{})}
	n.Map.Atomic = atomic
	return n
}

// protocols returns a map type with a list of ports, keyed by port and protocol.
func protocols() *graph.Node {
	text, number := &graph.Node{Scalar: graph.String}, &graph.Node{Scalar: graph.Numeric}
	ofPort := mapOfFields(false, graph.Field{Name: "port", Type: number}, graph.Field{Name: "protocol", Type: text})
	list := &graph.Node{List: &graph.List{Item: ofPort, Relation: graph.Associative, Keys: []graph.Key{{Name: "port"}, {Name: "protocol"}}, KeyNames: []string{"port", "protocol"}}}
	root := mapOfFields(false, graph.Field{Name: "ports", Type: list})
	graph.FindFacts([]*graph.Node{text, number, ofPort, list, root, ofPort.Map.Elem, root.Map.Elem})
	return root
}

func portOf(n int64, protocol string) any { return map[string]any{"port": n, "protocol": protocol} }
