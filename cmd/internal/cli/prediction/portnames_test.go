// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"testing"
)

// Two ports share a name only if they are in the same list, at any depth.
func TestSharePortNames(t *testing.T) {
	port := func(name any) any { return map[string]any{"port": int64(1), "name": name} }
	for _, tt := range []struct {
		v    any
		want bool
	}{
		{map[string]any{"spec": []any{map[string]any{"ports": []any{port("a"), port(nil), port("b"), port("a")}}}}, true},
		{map[string]any{"ports": []any{port("a"), port(""), port("b"), port(""), "a"}}, false},
		{map[string]any{"x": map[string]any{"ports": []any{port("a")}}, "y": map[string]any{"ports": []any{port("a")}}}, false},
		{map[string]any{"others": []any{port("a"), port("a")}}, false},
	} {
		if got := SharePortNames(tt.v); got != tt.want {
			t.Errorf("%v: got %v", tt.v, got)
		}
	}
}
