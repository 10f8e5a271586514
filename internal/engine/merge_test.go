// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

var (
	anyScalar = &graph.Node{Scalar: graph.Untyped}
	set       = &graph.Node{List: &graph.List{Item: anyScalar, Relation: graph.Associative}}
)

func items(s string) []any {
	var out []any
	for _, f := range strings.Fields(s) {
		out = append(out, f)
	}
	return out
}

// The order of merged lists, as structured-merge-diff orders them.
func TestMergeListOrder(t *testing.T) {
	for _, c := range []struct{ left, right, want string }{
		{"1 2 3 4", "3 5 1", "2 3 4 5 1"},
		{"a b c", "a b c", "a b c"},
		{"a b c", "b", "a b c"},
		{"a b c", "c a", "b c a"},
		{"a b", "x", "a b x"},
		{"a b", "x a", "x a b"},
		{"a b", "b x a", "b x a"},
		{"a b c d", "d x b", "a c d x b"},
		{"", "a b", "a b"},
		{"a b", "", "a b"},
	} {
		left, right := items(c.left), items(c.right)
		got, wrong := Merge(set, left, right, MergeOptions{Share: true})
		if wrong != nil {
			t.Fatalf("%q + %q: %v", c.left, c.right, wrong)
		}
		if !reflect.DeepEqual(got.Value, any(items(c.want))) {
			t.Errorf("%q + %q = %v, want %q", c.left, c.right, got.Value, c.want)
		}
		if same := reflect.DeepEqual(got.Value, any(left)); got.Changed == same {
			t.Errorf("%q + %q: changed is %v, value %v", c.left, c.right, got.Changed, got.Value)
		}
	}
}

// What a merge leaves alone is shared with the side that has it, whether or not that is
// known to be valid, and no side is written to.
func TestMergeShares(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	n := fieldsOf(false,
		graph.Field{Name: "m", Type: fieldsOf(false, graph.Field{Name: "x", Type: text})},
		graph.Field{Name: "ports", Type: ports(graph.Associative).Map.Field("ports").Type},
		graph.Field{Name: "y", Type: text})
	for _, valid := range []bool{false, true} {
		for _, untie := range []bool{false, true} {
			for _, y := range []string{"a", "b"} {
				m, first, second := map[string]any{"x": "a"}, item(1, "a"), item(2, "a")
				left := map[string]any{"m": m, "ports": []any{first}, "y": "a"}
				right := map[string]any{"ports": []any{second}, "y": y}
				got, wrong := Merge(n, left, right, MergeOptions{Share: true, LeftValid: valid, UntieRight: untie})
				if wrong != nil {
					t.Fatal(wrong)
				}
				out := got.Value.(map[string]any)
				items := out["ports"].([]any)
				if len(items) != 2 || !sameHeader(out["m"], m) || !sameHeader(items[0], first) || sameHeader(items[1], second) == untie {
					t.Errorf("valid %v, untie %v, y is %s: got %v, of the left: map %v, item %v; of the right: %v", valid, untie, y, out,
						sameHeader(out["m"], m), sameHeader(items[0], first), sameHeader(items[1], second))
				}
				if !sameHeader(left["m"], m) || left["y"] != "a" || len(left["ports"].([]any)) != 1 {
					t.Errorf("valid %v, untie %v, y is %s: the left side was written to: %v", valid, untie, y, left)
				}
			}
		}
	}
	m := map[string]any{"x": "a"}
	left := map[string]any{"m": m, "y": "a"}
	if got, wrong := Merge(n, left, map[string]any{"y": "a"}, MergeOptions{Share: true}); wrong != nil || got.Changed || !sameHeader(got.Value, left) || !sameHeader(left["m"], m) {
		t.Errorf("where nothing changes: %v got %v, changed %v", wrong, got.Value, got.Changed)
	}
}

// What is equal must hash alike, or items of one identity would not meet.
func TestHashFollowsEquality(t *testing.T) {
	for _, same := range [][]any{
		{int64(1), 1.0, int(1), int32(1), uint8(1), float32(1)},
		{int64(0), 0.0, -1 * 0.0},
		{"a", "a"},
		{true, true},
		{nil, nil},
		{map[string]any{"a": int64(1)}, map[string]any{"a": 1.0}},
		{[]any{int64(1)}, []any{1.0}},
	} {
		for _, v := range same[1:] {
			if new(hashing).value(hashSeed, v) != new(hashing).value(hashSeed, same[0]) {
				t.Errorf("%#v and %#v hash differently", same[0], v)
			}
		}
	}
}

// Lists beyond the quadratic limit pair by hash; both ways must agree.
func TestNumberLongListsLikeShortOnes(t *testing.T) {
	w := newWalker()
	defer w.done()
	l := set.List
	x, y := items("a b c a d e f g h i j"), items("j k a b l b")
	nb := w.number(l, x, y, known{})
	for i := range x {
		for j := range y {
			if (x[i] == y[j]) != (nb.left[i] == nb.right[j]) {
				t.Errorf("x[%d]=%v has number %d, y[%d]=%v has %d", i, x[i], nb.left[i], j, y[j], nb.right[j])
			}
		}
	}
	if nb.count != 12 || nb.lefts[nb.left[0]] != 2 || nb.rights[nb.right[3]] != 2 {
		t.Errorf("count %d, a left %d, b right %d", nb.count, nb.lefts[nb.left[0]], nb.rights[nb.right[3]])
	}
}

func TestValidateBoundsDepth(t *testing.T) {
	n := &graph.Node{Scalar: graph.String}
	n.List = &graph.List{Item: n, Relation: graph.Atomic}
	deep := func(levels int) any {
		var v any = "x"
		for range levels {
			v = []any{v}
		}
		return v
	}
	if _, wrong := Validate(n, deep(MaxDepth), false); wrong != nil {
		t.Errorf("%d levels: %v", MaxDepth, wrong)
	}
	if _, wrong := Validate(n, deep(MaxDepth+1), false); wrong == nil {
		t.Errorf("%d levels are valid", MaxDepth+1)
	}
	m := &graph.Node{Scalar: graph.String}
	m.Map = graph.NewMap(nil, m)
	m.Map.Open = true
	maps := any("x")
	for range MaxDepth {
		maps = map[string]any{"a": maps}
	}
	if _, wrong := Validate(m, maps, false); wrong != nil {
		t.Errorf("%d levels of maps: %v", MaxDepth, wrong)
	}
	if _, wrong := Validate(m, map[string]any{"a": maps}, false); wrong == nil {
		t.Errorf("%d levels of maps are valid", MaxDepth+1)
	}
	_, wrong := Validate(n, deep(3_000_000), false)
	if len(wrong) != 1 || !strings.Contains(wrong[0].Message, "levels deep") {
		t.Errorf("3,000,000 levels: got %d findings", len(wrong))
	}
}
