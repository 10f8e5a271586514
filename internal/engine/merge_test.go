// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/internal/data"
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

// TestMergeListOrder checks that the items of a merged list have the same order as in
// structured-merge-diff.
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
		got, findings := Merge(set, left, right, MergeOptions{Share: true})
		if findings != nil {
			t.Fatalf("%q + %q: %v", c.left, c.right, findings)
		}
		if !reflect.DeepEqual(got.Value, any(items(c.want))) {
			t.Errorf("%q + %q = %v, want %q", c.left, c.right, got.Value, c.want)
		}
		if same := reflect.DeepEqual(got.Value, any(left)); got.Changed == same {
			t.Errorf("%q + %q: changed is %v, value %v", c.left, c.right, got.Changed, got.Value)
		}
	}
}

// TestMergeShares checks that the result of a merge shares unchanged parts with one of the
// two sides, even if this side may be invalid. The merge must not modify either side.
func TestMergeShares(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	n := fieldsOf(false,
		graph.Field{Name: "m", Type: fieldsOf(false, graph.Field{Name: "x", Type: text})},
		graph.Field{Name: "ports", Type: ports(graph.Associative).Map.Field("ports").Type},
		graph.Field{Name: "y", Type: text})
	for _, valid := range []bool{false, true} {
		for _, copyRight := range []bool{false, true} {
			for _, y := range []string{"a", "b"} {
				m, first, second := map[string]any{"x": "a"}, portItem(1, "a"), portItem(2, "a")
				left := map[string]any{"m": m, "ports": []any{first}, "y": "a"}
				right := map[string]any{"ports": []any{second}, "y": y}
				got, findings := Merge(n, left, right, MergeOptions{Share: true, LeftValid: valid, UnshareRight: copyRight})
				if findings != nil {
					t.Fatal(findings)
				}
				out := got.Value.(map[string]any)
				items := out["ports"].([]any)
				if len(items) != 2 || !data.SameMemory(out["m"], m) || !data.SameMemory(items[0], first) || data.SameMemory(items[1], second) == copyRight {
					t.Errorf("valid %v, copyRight %v, y is %s: got %v, of the left: map %v, item %v; of the right: %v", valid, copyRight, y, out,
						data.SameMemory(out["m"], m), data.SameMemory(items[0], first), data.SameMemory(items[1], second))
				}
				if !data.SameMemory(left["m"], m) || left["y"] != "a" || len(left["ports"].([]any)) != 1 {
					t.Errorf("valid %v, copyRight %v, y is %s: the left side was modified: %v", valid, copyRight, y, left)
				}
			}
		}
	}
	for _, copyRight := range []bool{false, true} {
		for _, before := range []any{nil, []any{"a"}} {
			empty := map[string]any{}
			got, findings := Merge(n, map[string]any{"m": before}, map[string]any{"m": empty}, MergeOptions{Share: true, UnshareRight: copyRight})
			if findings != nil {
				t.Fatal(findings)
			}
			if m := got.Value.(map[string]any)["m"]; !data.IsEmptyMap(m) || data.SameMemory(m, empty) == copyRight {
				t.Errorf("an empty map replaces %v, copyRight %v: got %v, of the right: %v", before, copyRight, m, data.SameMemory(m, empty))
			}
		}
	}
	m := map[string]any{"x": "a"}
	left := map[string]any{"m": m, "y": "a"}
	if got, findings := Merge(n, left, map[string]any{"y": "a"}, MergeOptions{Share: true}); findings != nil || got.Changed || !data.SameMemory(got.Value, left) || !data.SameMemory(left["m"], m) {
		t.Errorf("nothing changes: %v got %v, changed %v", findings, got.Value, got.Changed)
	}
}

// TestMergeCopiesLongStrings checks a merge whose caller does not ask whether anything
// changed. Such a merge copies long strings without comparing them. The result must be the
// same as with a comparison.
func TestMergeCopiesLongStrings(t *testing.T) {
	n := &graph.Node{Map: &graph.Map{Elem: &graph.Node{Scalar: graph.String}}}
	random := rand.New(rand.NewSource(1))
	taken := 0
	for range 2000 {
		texts := func() any {
			m := map[string]any{}
			for range 1 + random.Intn(6) {
				m[string(rune('a'+random.Intn(6)))] = strings.Repeat("x", 64*random.Intn(6)) + strconv.Itoa(random.Intn(2))
			}
			return m
		}
		left, right := texts(), texts()
		compared, findings := Merge(n, left, right, MergeOptions{Share: true})
		got, also := Merge(n, left, right, MergeOptions{LeftValid: true, RightValidUnique: true})
		if findings != nil || also != nil || !reflect.DeepEqual(got.Value, compared.Value) {
			t.Fatalf("%v and %v: got %v (%v), want %v (%v)", left, right, got.Value, also, compared.Value, findings)
		}
		for name, text := range got.Value.(map[string]any) {
			was, to := left.(map[string]any)[name], right.(map[string]any)[name]
			if was == to && isLong(text) {
				taken++
				if unsafe.StringData(text.(string)) != unsafe.StringData(to.(string)) {
					t.Fatalf("%v and %v: %s was compared", left, right, name)
				}
			}
		}
	}
	if taken == 0 {
		t.Fatal("no text was long")
	}
}

// TestMergeNullIntoEmpty checks that an empty map or list keeps its kind if null is merged into it,
// also if the type allows both kinds.
func TestMergeNullIntoEmpty(t *testing.T) {
	text := &graph.Node{Scalar: graph.String, Declarative: true}
	entries := graph.NewMap(nil, text)
	entries.Open = true
	list := &graph.List{Item: text, Relation: graph.Associative, Declarative: true}
	for name, n := range map[string]*graph.Node{
		"map":         {Map: entries},
		"list":        {List: list},
		"map or list": {Map: entries, List: list},
	} {
		n.Declarative, n.Nullable = true, true
		var empty []any
		if n.Map != nil {
			empty = append(empty, map[string]any{})
		}
		if n.List != nil {
			empty = append(empty, []any{})
		}
		for _, left := range empty {
			for _, share := range []bool{false, true} {
				got, findings := Merge(n, left, nil, MergeOptions{Share: share})
				if findings != nil || !reflect.DeepEqual(got.Value, left) {
					t.Errorf("%s, share %v: null merged into %#v: got %#v, %v", name, share, left, got.Value, findings)
				}
			}
		}
	}
}
