// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// granular is a type whose maps are granular, except in the field "whole".
var granular = func() *graph.Node {
	anything := &graph.Node{}
	anything.Map = &graph.Map{Elem: anything, Open: true}
	whole := &graph.Node{Map: &graph.Map{Elem: anything, Open: true, Atomic: true}}
	return &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "whole", Type: whole}}, anything)}
}()

// TestOutline checks an outline of a struct. If a scalar of the struct stays, the outline
// must omit the fields that the overlay does not have. It also checks that complete adds
// these fields again.
func TestOutline(t *testing.T) {
	type inner struct {
		A string  `json:"a"`
		B []int64 `json:"b"`
		C *inner  `json:"c,omitempty"`
	}
	type outer struct {
		Name  string            `json:"name"`
		Own   direct            `json:"own"`
		List  []int64           `json:"list"`
		Inner inner             `json:"inner"`
		Deep  *inner            `json:"deep"`
		None  *inner            `json:"none"`
		Whole inner             `json:"whole"`
		Map   map[string]string `json:"map,omitempty"`
	}
	one := []int64{1}
	v := reflected(t, &outer{Name: "n", Own: direct{"o"}, List: one, Inner: inner{"a", one, nil}, Deep: &inner{"a", one, &inner{B: one}}, Whole: inner{"a", one, nil}})
	all := v.Unstructured()
	ab := map[string]any{"a": "a", "b": []any{int64(1)}}
	for _, tc := range []struct {
		name string
		over map[string]any
		want map[string]any // nil if Outline omits nothing
	}{
		{"a scalar", map[string]any{"name": "x"}, map[string]any{"name": "n"}},
		{"no scalar", map[string]any{"list": []any{}}, nil},
		{"a scalar over a list", map[string]any{"list": "x"}, nil},
		{"a list over a scalar", map[string]any{"name": []any{}}, nil},
		{"a type that converts itself", map[string]any{"own": "x"}, nil},
		{"of a struct in it", map[string]any{"inner": map[string]any{"a": "x"}}, map[string]any{
			"name": "n", "own": "o", "list": []any{int64(1)}, "inner": map[string]any{"a": "a"}, "deep": all.(map[string]any)["deep"], "none": nil, "whole": ab,
		}},
		{"of both", map[string]any{"name": "x", "inner": map[string]any{"a": "x"}}, map[string]any{"name": "n", "inner": map[string]any{"a": "a"}}},
		{"of one behind a pointer", map[string]any{"name": "x", "deep": map[string]any{"a": "x"}}, map[string]any{"name": "n", "deep": map[string]any{"a": "a"}}},
		{"only one level down", map[string]any{"name": "x", "deep": map[string]any{"a": "x", "c": map[string]any{"a": "x"}}},
			map[string]any{"name": "n", "deep": map[string]any{"a": "a", "c": map[string]any{"a": "", "b": []any{int64(1)}}}}},
		{"of one that is not there", map[string]any{"name": "x", "none": map[string]any{"a": "x"}}, map[string]any{"name": "n", "none": nil}},
		{"of one that is atomic", map[string]any{"name": "x", "whole": map[string]any{"a": "x"}}, map[string]any{"name": "n", "whole": ab}},
		{"all fields", all.(map[string]any), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree, complete := v.(*valueReflect).Outline(tc.over, granular)
			left := tree != nil
			if left != (tc.want != nil) || left != (complete != nil) {
				t.Fatalf("got %v, want %v", tree, tc.want)
			}
			if !left {
				return
			}
			wantDeepEqual(t, tree, tc.want)
			other := map[string]any{"inner": map[string]any{}}
			complete(other)
			wantDeepEqual(t, tree, all)
			for name, got := range other {
				if want := tree[name]; name != "inner" && !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %v, want %v", name, got, want)
				}
			}
			for name, got := range other["inner"].(map[string]any) {
				wantDeepEqual(t, got, ab[name])
			}
		})
	}
	if tree, complete := reflected(t, &[]string{"a"}).(*valueReflect).Outline(map[string]any{"name": "x"}, granular); tree != nil || complete != nil {
		t.Error("a list has an outline")
	}
}
