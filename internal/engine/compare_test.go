// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestCompareEquivalentValues checks that Compare finds no difference between null and the
// default, which are equivalent. It must report that transition rules are kept only if both
// values are also equal as stored.
func TestCompareEquivalentValues(t *testing.T) {
	text := &graph.Node{Scalar: graph.String, Declarative: true, Transition: graph.Immutable}
	n := fieldsOf(false, graph.Field{Name: "x", Type: text, Default: "d"})
	n.Declarative = true
	graph.FindFacts([]*graph.Node{text, n, n.Map.Elem})
	null, written, none := map[string]any{"x": nil}, map[string]any{"x": "d"}, map[string]any{}
	for _, c := range []struct {
		left, right map[string]any
		rulesProven bool
	}{
		{null, map[string]any{"x": nil}, true},
		{written, map[string]any{"x": "d"}, true},
		{null, written, false}, {written, null, false},
		{null, none, false}, {none, null, false}, {written, none, false}, {none, written, false},
	} {
		for _, facts := range []Facts{0, Valid | Unique} {
			out, rulesProven, findings := Compare(n, c.left, c.right, facts)
			if findings != nil || !out.Removed.Empty() || !out.Modified.Empty() || !out.Added.Empty() || rulesProven != c.rulesProven {
				t.Errorf("%v and %v, facts %d: got %v, rulesProven %v, %v", c.left, c.right, facts, out, rulesProven, findings)
			}
		}
	}
}

// TestCompareOfTwoKinds checks that a map and a scalar are compared as both kinds, even if
// the values are equivalent as values of one of the kinds.
func TestCompareOfTwoKinds(t *testing.T) {
	text := &graph.Node{Scalar: graph.String, Declarative: true}
	both := fieldsOf(false, graph.Field{Name: "x", Type: text, Default: "d"})
	both.Scalar, both.Declarative = graph.String, true
	n := fieldsOf(false, graph.Field{Name: "both", Type: both})
	n.Declarative = true
	graph.FindFacts([]*graph.Node{text, both, both.Map.Elem, n, n.Map.Elem})
	for _, c := range []struct {
		left, right              any
		removed, modified, added string
	}{
		{"a", map[string]any{"x": "d"}, "", ".both", ""},
		{map[string]any{"x": "d"}, "a", "", ".both", ""},
		{"a", map[string]any{"x": "e"}, "", ".both", ".both.x"},
		{map[string]any{"x": "e"}, "a", ".both.x", ".both", ""},
		{"a", "a", "", "", ""},
		{"a", "b", "", ".both", ""},
	} {
		for _, facts := range []Facts{0, Valid | Unique} {
			out, _, findings := Compare(n, map[string]any{"both": c.left}, map[string]any{"both": c.right}, facts)
			if findings != nil {
				t.Fatal(findings)
			}
			if out.Removed.String() != c.removed || out.Modified.String() != c.modified || out.Added.String() != c.added {
				t.Errorf("%v and %v, facts %d: removed %v, modified %v, added %v", c.left, c.right, facts, out.Removed, out.Modified, out.Added)
			}
		}
	}
}

// TestCompareNaN checks that a NaN differs from a NaN, whether or not the type has a transition rule.
func TestCompareNaN(t *testing.T) {
	for _, rule := range []graph.Transition{graph.Free, graph.Immutable} {
		number := &graph.Node{Scalar: graph.Numeric}
		list := &graph.Node{List: &graph.List{Item: number, Relation: graph.Atomic}}
		text := &graph.Node{Scalar: graph.String, Transition: rule}
		n := fieldsOf(false, graph.Field{Name: "list", Type: list}, graph.Field{Name: "text", Type: text}, graph.Field{Name: "x", Type: number})
		graph.FindFacts([]*graph.Node{number, list, text, n, n.Map.Elem})
		object := func() any {
			return map[string]any{"list": []any{1.5, math.NaN()}, "text": "a", "x": math.NaN()}
		}
		for _, facts := range []Facts{0, Valid | Unique} {
			out, rulesProven, findings := Compare(n, object(), object(), facts)
			if findings != nil || out.Modified.String() != ".list\n.x" || !out.Removed.Empty() || !out.Added.Empty() || rulesProven != (rule != graph.Free) {
				t.Errorf("rule %v, facts %d: got %v, rulesProven %v, %v", rule, facts, out, rulesProven, findings)
			}
		}
	}
}

// TestValidateAndCompareFacts checks that ValidateAndCompare finds only facts that are true for the
// right value.
func TestValidateAndCompareFacts(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	set := &graph.Node{List: &graph.List{Item: text, Relation: graph.Associative}}
	inner := fieldsOf(false, graph.Field{Name: "set", Type: set}, graph.Field{Name: "text", Type: text})
	n := fieldsOf(false, graph.Field{Name: "a", Type: inner}, graph.Field{Name: "b", Type: inner}, graph.Field{Name: "text", Type: text})
	graph.FindFacts([]*graph.Node{text, set, inner, inner.Map.Elem, n, n.Map.Elem})
	found := map[Facts]int{}
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 6))
		object := func(fields map[string]any) any {
			for name := range fields {
				if r.IntN(3) == 0 {
					delete(fields, name)
				} else if r.IntN(12) == 0 {
					fields[name] = nil
				}
			}
			return fields
		}
		part := func() any {
			return object(map[string]any{"text": "x", "set": []any{"a", "b", "b"}[:r.IntN(4)]})
		}
		root := func() any { return object(map[string]any{"a": part(), "b": part(), "text": "x"}) }
		left, right := root(), root()
		facts, findings := Validate(n, left, true)
		if findings != nil {
			t.Fatal(findings)
		}
		want, _ := Validate(n, right, true)
		_, _, got, ok := ValidateAndCompare(n, left, right, facts, true)
		if !ok || got&^want != 0 {
			t.Fatalf("%d: from %v to %v got facts %b, want at most %b", seed, left, right, got, want)
		}
		for fact := Valid; fact <= NoNulls; fact <<= 1 {
			if got&fact != 0 {
				found[fact]++
			}
		}
	}
	for fact := Valid; fact <= NoNulls; fact <<= 1 {
		if found[fact] < 100 {
			t.Errorf("fact %b was found only %d times", fact, found[fact])
		}
	}
}

// TestSkippingEqualItems checks that Compare has the same result whether or not it skips
// equal items of valid lists.
func TestSkippingEqualItems(t *testing.T) {
	text, number := &graph.Node{Scalar: graph.String}, &graph.Node{Scalar: graph.Numeric}
	set := &graph.Node{List: &graph.List{Item: text, Relation: graph.Associative}}
	item := fieldsOf(false, graph.Field{Name: "args", Type: set}, graph.Field{Name: "name", Type: text}, graph.Field{Name: "port", Type: number})
	list := &graph.Node{List: &graph.List{Item: item, Relation: graph.Associative, Keys: []graph.Key{{Name: "port"}}, KeyNames: []string{"port"}}}
	graph.FindFacts([]*graph.Node{text, number, set, item, item.Map.Elem, list})
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 5))
		random := func() []any {
			items := []any{}
			for _, port := range r.Perm(6)[:r.IntN(6)] {
				it := map[string]any{"port": []any{int64(port), float64(port)}[r.IntN(2)]}
				for range r.IntN(3) {
					it["name"] = []any{"a", "b", nil}[r.IntN(3)]
				}
				for _, arg := range r.Perm(3)[:r.IntN(3)] {
					args, _ := it["args"].([]any)
					it["args"] = append(args, string(rune('a'+arg)))
				}
				items = append(items, it)
			}
			return items
		}
		left, right := random(), random()
		if r.IntN(2) == 0 { // the lists are equal, except for some items
			right = slices.Concat(left, right)[:len(left)]
			for range r.IntN(3) {
				if len(right) > 0 {
					i := r.IntN(len(right))
					changed := maps.Clone(right[i].(map[string]any))
					changed["name"] = "c"
					right[i] = changed
				}
			}
		}
		want, _, findings := Compare(list, left, right, 0)
		got, _, also := Compare(list, left, right, Valid|Unique)
		if findings != nil || also != nil {
			t.Fatal(seed, findings, also)
		}
		if !got.Removed.Equals(want.Removed) || !got.Modified.Equals(want.Modified) || !got.Added.Equals(want.Added) {
			t.Fatalf("%d: from %v to %v got %v, want %v", seed, left, right, got, want)
		}
	}
}

// fieldsOf returns a map type with the given fields.
func fieldsOf(atomic bool, fields ...graph.Field) *graph.Node {
	n := &graph.Node{Map: graph.NewMap(fields, &graph.Node{})}
	n.Map.Atomic = atomic
	return n
}
