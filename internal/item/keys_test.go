// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestFieldSetWithKeys checks that a stored element gets the current defaults of its missing and null
// keys. An element without any key must not change.
func TestFieldSetWithKeys(t *testing.T) {
	l := &graph.List{Relation: graph.Associative, Keys: []graph.Key{{Name: "a", NullIsMissing: true}}, Declarative: true}
	l.Keys = append(l.Keys, graph.Key{Name: "b", NullIsMissing: true, IfMissing: "d"}, graph.Key{Name: "c", NullIsMissing: true})
	for _, c := range []struct{ key, want fieldpath.PathElement }{
		{*key("a", 1, "b", "d"), *key("a", 1, "b", "d")},
		{*key("a", 1), *key("a", 1, "b", "d")},
		{*key("a", 1, "b", nil, "c", nil), *key("a", 1, "b", "d")},
		{*key("c", nil), *key("b", "d")},
		{*key("a", 1, "z", 2), *key("a", 1, "z", 2)},
	} {
		if got := CompleteElementKeys(l, c.key); !got.Equals(c.want) {
			t.Errorf("%v: got %v, want %v", c.key, got, c.want)
		}
	}
	// A complete element must not hide that the element after it is incomplete.
	stored, want := fieldpath.NewSet(), fieldpath.NewSet()
	for set, second := range map[*fieldpath.Set]string{stored: `{\"a\":2}`, want: `{\"a\":2,\"b\":\"d\"}`} {
		text := `{"k:{\"a\":1,\"b\":\"d\"}":{".":{},"f:x":{}},"k:` + second + `":{"f:x":{}}}`
		if err := set.FromJSON(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got := CompleteKeys(l, stored); !got.Equals(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	l.Keys[1].IfMissing = nil
	none := fieldpath.NewSet(fieldpath.Path{*key("c", nil)})
	if got := CompleteKeys(l, none); got != none {
		t.Errorf("got %v", got)
	}
}

// TestFieldSetWithKeysLikeInsert compares CompleteKeys with a slow version that inserts one path after
// another. Filling changes the order of some elements, and makes others equal.
func TestFieldSetWithKeysLikeInsert(t *testing.T) {
	l := &graph.List{Relation: graph.Associative, Keys: []graph.Key{
		{Name: "a", NullIsMissing: true, IfMissing: int64(3)}, {Name: "b", NullIsMissing: true, ZeroIsMissing: true, IfMissing: "m"},
	}, Declarative: true}
	type choice struct {
		name   string
		values []any
	}
	choices := []choice{{"a", []any{nil, int64(1), int64(3), int64(5), 3.0}}, {"b", []any{nil, "", "c", "m", "x"}}, {"z", []any{"z"}}}
	joined, moved := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		one := func() fieldpath.PathElement {
			var pairs []any
			for _, c := range choices {
				if r.IntN(4) < 3 && (c.name != "z" || r.IntN(8) == 0) {
					pairs = append(pairs, c.name, c.values[r.IntN(len(c.values))])
				}
			}
			if len(pairs) == 0 {
				return *key("z", "z")
			}
			return *key(pairs...)
		}
		stored, want := fieldpath.NewSet(), fieldpath.NewSet()
		for range 1 + r.IntN(30) {
			pe := one()
			if r.IntN(3) > 0 {
				stored.Insert(fieldpath.Path{pe})
			}
			if name := []string{"x", "y", ""}[r.IntN(3)]; name != "" {
				stored.Insert(fieldpath.Path{pe, {FieldName: &name}})
			}
		}
		before := stored.Copy()
		var last *fieldpath.PathElement
		stored.Iterate(func(p fieldpath.Path) {
			p = p.Copy()
			if p[0] = CompleteElementKeys(l, p[0]); last != nil && p[0].Compare(*last) < 0 {
				moved++
			}
			last = &p[0]
			want.Insert(p)
		})
		got := CompleteKeys(l, stored)
		if !got.Equals(want) {
			t.Fatalf("seed %d: %v\n got %v\nwant %v", seed, stored, got, want)
		}
		if !stored.Equals(before) {
			t.Fatalf("seed %d: %v became %v", seed, before, stored)
		}
		if got.Size() < stored.Size() {
			joined++
		}
	}
	if joined < 100 || moved < 100 {
		t.Errorf("%d sets have elements that become equal, and %d elements move: the test covers too few cases", joined, moved)
	}
}

func key(pairs ...any) *fieldpath.PathElement {
	return &fieldpath.PathElement{Key: fieldpath.KeyByFields(pairs...)}
}
