// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownedset_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// groups returns a map type with a list keyed by name, whose items have a list of ports.
func groups() *graph.Node {
	text, closed := &graph.Node{Scalar: graph.String}, &graph.Node{}
	port := &graph.Node{Map: graph.NewMap([]graph.Field{
		{Name: "note", Type: text}, {Name: "port", Type: &graph.Node{Scalar: graph.Numeric}}, {Name: "protocol", Type: text},
	}, closed)}
	ports := &graph.Node{List: &graph.List{Item: port, Relation: graph.Associative, Keys: []graph.Key{{Name: "port"}, {Name: "protocol", IfMissing: "TCP"}}, KeyNames: []string{"port", "protocol"}}}
	group := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "name", Type: text}, {Name: "note", Type: text}, {Name: "ports", Type: ports}}, closed)}
	list := &graph.Node{List: &graph.List{Item: group, Relation: graph.Associative, Keys: []graph.Key{{Name: "name"}}, KeyNames: []string{"name"}}}
	root := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "groups", Type: list}}, closed)}
	graph.FindFacts([]*graph.Node{text, ports, ports.List.Item, group, list, root, closed})
	return root
}

// randomGroups returns all, an object of the type groups, and part, an object that has
// some parts of all.
func randomGroups(r *rand.Rand) (all, part map[string]any) {
	some := func(n int) []int { return r.Perm(n)[:r.IntN(n+1)] }
	two := func(a, b *[]any, x, y any) {
		*a = append(*a, x)
		if r.IntN(8) > 0 {
			*b = append(*b, y)
		}
	}
	var gs, hs []any
	for _, i := range some(12) {
		var ps, qs []any
		for _, p := range some(4) {
			port := map[string]any{"port": int64(p), "note": "x"}
			if r.IntN(2) == 0 {
				port["protocol"] = []any{"TCP", "UDP"}[r.IntN(2)]
			}
			own := map[string]any{"port": port["port"]}
			if protocol, ok := port["protocol"]; ok {
				own["protocol"] = protocol
			}
			two(&ps, &qs, port, own)
		}
		name := fmt.Sprint("g", i)
		group, own := map[string]any{"name": name, "note": "x"}, map[string]any{"name": name}
		if len(ps) > 0 {
			group["ports"] = ps
		}
		if len(qs) > 0 {
			own["ports"] = qs
		}
		two(&gs, &hs, group, own)
	}
	r.Shuffle(len(gs), func(i, j int) { gs[i], gs[j] = gs[j], gs[i] })
	all, part = map[string]any{}, map[string]any{}
	if len(gs) > 0 {
		all["groups"] = gs
	}
	if len(hs) > 0 {
		part["groups"] = hs
	}
	return all, part
}

// TestNamesAllItems checks that NamesAllItems returns true if and only if there are no
// unkeyed items. A second manager owns only the field note of each item. So an item is
// unkeyed if last does not have it.
func TestNamesAllItems(t *testing.T) {
	n := groups()
	r := rand.New(rand.NewPCG(5, 6))
	set := func(v any) *fieldpath.Set {
		s, findings := engine.FieldSet(n, v, nil)
		if findings != nil {
			t.Fatal(findings)
		}
		return s
	}
	named := 0
	const rounds = 3000
	for range rounds {
		all, part := randomGroups(r)
		last := set(part)
		notes := fieldpath.NewSet()
		for p := range set(all).All() {
			if e := p[len(p)-1]; e.FieldName != nil && *e.FieldName == "note" {
				notes.Insert(p.Copy())
			}
		}
		got := ownedset.NamesAllItems(n, all, last)
		if want := !ownedset.HasUnkeyedItemsSlow(n, last, []*fieldpath.Set{last, notes}); got != want {
			t.Fatalf("all items of\n%v\nare named by\n%v: %v, want %v", all, last, got, want)
		}
		if got {
			named++
		}
	}
	if named < rounds/10 || named > rounds*9/10 {
		t.Errorf("all items are named in %d of %d rounds: too uneven to test anything", named, rounds)
	}
}

// TestCountNamedItems checks that countNamedItems ignores members that are not items.
func TestCountNamedItems(t *testing.T) {
	key := func(n int64) fieldpath.PathElement { return fieldpath.KeyElementByFields("port", n) }
	s := fieldpath.NewSet(
		fieldpath.Path{key(1)}, fieldpath.Path{key(2)}, fieldpath.MakePathOrDie(5), fieldpath.MakePathOrDie("name"),
		fieldpath.Path{key(2), fieldpath.FieldNameElement("a")}, fieldpath.Path{key(3), fieldpath.FieldNameElement("a")},
		fieldpath.Path{fieldpath.FieldNameElement("name"), fieldpath.FieldNameElement("a")})
	if got := ownedset.CountNamedItems(s); got != 3 {
		t.Errorf("%v names %d items, want 3", s, got)
	}
}

// TestCoversKeysStored checks items inside other items. It does not matter who owns the keys
// of the outer items.
func TestCoversKeysStored(t *testing.T) {
	n := groups()
	last, findings := engine.FieldSet(n, map[string]any{"groups": []any{map[string]any{"name": "a", "ports": []any{map[string]any{"port": int64(1)}}}}}, nil)
	if findings != nil {
		t.Fatal(findings)
	}
	find := func(set *fieldpath.Set, key string) (below *fieldpath.Set, named bool) {
		e, err := fieldpath.DeserializePathElement(key)
		if err != nil {
			t.Fatal(err)
		}
		below, named = set.Children.Get(e)
		return below, named || set.Members.Has(e)
	}
	for text, want := range map[string]bool{
		`{"f:groups":{"k:{\"name\":\"a\"}":{"f:note":{}}}}`:                                                                          true,
		`{"f:groups":{"k:{\"name\":\"b\"}":{"f:note":{}}}}`:                                                                          false,
		`{"f:groups":{"k:{\"name\":\"b\"}":{"f:name":{},"f:note":{}}}}`:                                                              true,
		`{"f:groups":{"k:{\"name\":\"a\"}":{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{"f:note":{}}}}}}`:                      true,
		`{"f:groups":{"k:{\"name\":\"a\"}":{"f:ports":{"k:{\"port\":2,\"protocol\":\"TCP\"}":{"f:note":{}}}}}}`:                      false,
		`{"f:groups":{"k:{\"name\":\"a\"}":{"f:name":{},"f:ports":{"k:{\"port\":2,\"protocol\":\"TCP\"}":{"f:note":{}}}}}}`:          false,
		`{"f:groups":{"k:{\"name\":\"a\"}":{"f:ports":{"k:{\"port\":2,\"protocol\":\"TCP\"}":{"f:port":{},"f:protocol":{}}}}}}`:      true,
		`{"f:groups":{"k:{\"name\":\"b\"}":{"f:name":{},"f:ports":{"k:{\"port\":2,\"protocol\":\"TCP\"}":{"f:note":{}}}}},"f:x":{}}`: true, // last does not have this item, so its fields cannot be given up
	} {
		var fields map[string]any
		if err := json.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatal(err)
		}
		if got := ownedset.CoversKeysStored(n, last, fields, find); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
		set := fieldpath.NewSet()
		if err := set.FromJSON(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if got := ownedset.CoversKeys(n, last, set); got != want {
			t.Errorf("%s, as a set: got %v, want %v", text, got, want)
		}
	}
}

// TestSameElement checks that two elements are the same if they are the same field, or the
// same in memory.
func TestSameElement(t *testing.T) {
	field := func(name string) *fieldpath.PathElement { e := fieldpath.FieldNameElement(name); return &e }
	key, index := fieldpath.KeyElementByFields("a", 1), fieldpath.IndexElement(1)
	all := []*fieldpath.PathElement{field("a"), field("b"), &key, &index}
	for i, a := range all {
		for j, b := range all {
			if got := ownedset.SameElement(a, b); got != (i == j) {
				t.Errorf("%v and %v: got %v", a, b, got)
			}
		}
	}
	if !ownedset.SameElement(field("a"), field("a")) {
		t.Error("two elements with the same field name are not the same")
	}
}

// TestCoveredBy checks that CoveredBy returns true if and only if a set has all paths, items
// and keys of last. Both sets may share parts. The result must be the same for a copy of the
// set.
func TestCoveredBy(t *testing.T) {
	n := groups()
	count := map[bool]int{}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 3))
		all, part := randomGroups(r)
		last, _ := engine.FieldSet(n, part, nil)
		more, _ := engine.FieldSet(n, all, nil)
		if r.IntN(2) == 0 {
			last = last.Difference(fieldpath.NewSet(pick(r, last)...))
		}
		set := last
		switch r.IntN(3) {
		case 0:
			set = last.Union(more) // the union shares with last the parts that more does not change
		case 1:
			set = last.Difference(fieldpath.NewSet(pick(r, last)...))
		}
		want := last.Difference(set).Empty()
		last.Iterate(func(p fieldpath.Path) {
			for i := range p {
				if p[i].Key != nil && !keysIn(set, p[:i+1]) {
					want = false
				}
			}
		})
		got := ownedset.CoveredBy(n, last, set)
		if got != want {
			t.Fatalf("seed %d: covered is %v, want %v, of\n%v\nby\n%v", seed, got, want, last, set)
		}
		text, err := set.ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		var duplicate fieldpath.Set
		if err := duplicate.FromJSON(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if copied := ownedset.CoveredBy(n, last, &duplicate); copied != got {
			t.Fatalf("seed %d: covered is %v by a copy, want %v, of\n%v\nby\n%v", seed, copied, got, last, set)
		}
		count[got]++
	}
	if count[true] < 500 || count[false] < 500 {
		t.Error("too few of one result:", count)
	}
}

// pick returns a few paths of a set.
func pick(r *rand.Rand, s *fieldpath.Set) (some []fieldpath.Path) {
	s.Iterate(func(p fieldpath.Path) {
		if r.IntN(8) == 0 {
			some = append(some, p.Copy())
		}
	})
	return some
}

// keysIn reports whether set has an item and enough of its keys: at least one key, and all
// keys whose value is not the default.
func keysIn(set *fieldpath.Set, item fieldpath.Path) bool {
	if !set.Has(item) {
		return false
	}
	some := false
	for _, f := range *item[len(item)-1].Key {
		has := set.Has(append(item.Copy(), fieldpath.FieldNameElement(f.Name)))
		if !has && !(f.Name == "protocol" && f.Value.Unstructured() == "TCP") {
			return false
		}
		some = some || has
	}
	return some
}
