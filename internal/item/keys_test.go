// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// TestFillKeys checks that a stored element gets the current defaults of its missing and null
// keys. An element without any key must not change.
func TestFillKeys(t *testing.T) {
	l := &graph.List{Relation: graph.Associative, Keys: []graph.Key{{Name: "a", NullIsMissing: true}}, Declarative: true}
	l.Keys = append(l.Keys, graph.Key{Name: "b", NullIsMissing: true, IfMissing: "d"}, graph.Key{Name: "c", NullIsMissing: true})
	for _, c := range []struct{ key, want fieldpath.PathElement }{
		{*key("a", 1, "b", "d"), *key("a", 1, "b", "d")},
		{*key("a", 1), *key("a", 1, "b", "d")},
		{*key("a", 1, "b", nil, "c", nil), *key("a", 1, "b", "d")},
		{*key("c", nil), *key("b", "d")},
		{*key("a", 1, "z", 2), *key("a", 1, "z", 2)},
	} {
		if got := FillKey(l, c.key); !got.Equals(c.want) {
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
	if got := FillKeys(l, stored); !got.Equals(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	l.Keys[1].IfMissing = nil
	none := fieldpath.NewSet(fieldpath.Path{*key("c", nil)})
	if got := FillKeys(l, none); got != none {
		t.Errorf("got %v", got)
	}
}

func key(pairs ...any) *fieldpath.PathElement {
	return &fieldpath.PathElement{Key: fieldpath.KeyByFields(pairs...)}
}
