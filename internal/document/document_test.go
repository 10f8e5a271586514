// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package document

import (
	"testing"
	"time"
)

func TestEqual(t *testing.T) {
	m, l := map[string]any{"a": []any{int64(1)}}, []any{"a"}
	groups := [][]any{
		{nil}, {true, true}, {false, false}, {"a", "a"}, {""},
		{int64(1), 1.0, 1, int32(1)}, {int64(0), 0.0}, {1.5},
		{map[string]any(nil), map[string]any(nil)}, {map[string]any{}, map[string]any{}}, {[]any(nil), []any(nil)}, {[]any{}, []any{}},
		{m, m, map[string]any{"a": []any{1.0}}}, {map[string]any{"b": []any{int64(1)}}}, {map[string]any{"a": []any{int64(2)}}}, {map[string]any{"a": nil}},
		{l, l, []any{"a"}}, {[]any{"b"}}, {[]any{"a", "a"}}, {[]any{true}}, {[]any{false}},
		{time.Unix(1, 0), time.Unix(1, 0)}, {time.Unix(2, 0)},
	}
	for i, x := range groups {
		for _, a := range x {
			for j, y := range groups {
				for _, b := range y {
					if got := Equal(a, b); got != (i == j) {
						t.Errorf("%T %v and %T %v: equal: %v", a, a, b, b, got)
					}
				}
			}
		}
	}
}

func TestDescribe(t *testing.T) {
	for want, metadata := range map[string]map[string]any{
		"d/x; apps/v1, Kind=Deployment":               {"namespace": "d", "name": "x"},
		"/x; apps/v1, Kind=Deployment":                {"name": "x"},
		"apps/v1, Kind=Deployment in namespace d":     {"namespace": "d", "generateName": "x-"},
		"apps/v1, Kind=Deployment in namespace other": {"namespace": "other"},
		"apps/v1, Kind=Deployment":                    nil,
	} {
		object := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata}
		if got := Describe(object); got != want {
			t.Errorf("%v: got %q, want %q", metadata, got, want)
		}
	}
}

func TestIsZero(t *testing.T) {
	for _, v := range []any{"", false, 0, int64(0), 0.0, []any{}, map[string]any{}} {
		if !IsZero(v) {
			t.Errorf("%T %v is not zero", v, v)
		}
	}
	for _, v := range []any{nil, "a", true, 1, int64(1), 0.5, []any{nil}, map[string]any{"a": nil}, time.Time{}} {
		if IsZero(v) {
			t.Errorf("%T %v is zero", v, v)
		}
	}
}
