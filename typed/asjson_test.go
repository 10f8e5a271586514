// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"github.com/dovetail-ssa/dovetail/internal/data"
	"reflect"
	"testing"
)

// TestAsJSON checks that asJSON cuts off a value at the maximum depth of valid values. So
// asJSON also returns if a value contains itself.
func TestAsJSON(t *testing.T) {
	in := map[string]any{"a": []any{1, map[any]any{1: true, "b": nil}}}
	want := map[string]any{"a": []any{int64(1), map[string]any{"1": true, "b": nil}}}
	if got := asJSON(in, 0); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if asJSON("x", data.MaxDepth) != "x" || asJSON("x", data.MaxDepth+1) != nil {
		t.Errorf("the limit is not %d levels", data.MaxDepth)
	}
	list, object, yaml := []any{nil}, map[string]any{}, map[any]any{}
	list[0], object["a"], yaml["a"] = list, object, yaml
	for _, v := range []any{list, object, yaml} {
		levels := 0
		for got := asJSON(v, 0); got != nil; levels++ {
			switch x := got.(type) {
			case map[string]any:
				got = x["a"]
			case []any:
				got = x[0]
			}
		}
		if levels != data.MaxDepth+1 {
			t.Errorf("%T: %d levels", v, levels)
		}
	}
}
