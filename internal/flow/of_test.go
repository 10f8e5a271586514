// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string
	}{
		{nil, "null"},
		{"TCP", "TCP"},
		{"80", `"80"`},
		{"", `""`},
		{"a, b", `"a, b"`},
		{int64(80), "80"},
		{map[string]any{"b": []any{true, nil}, "a": map[string]any{}}, "{a: {}, b: [true, null]}"},
	} {
		if got := Of(test.v, 200); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	long := make([]any, 1_000_000)
	if got := Of(long, 100); len(got) > 200 || strings.Count(got, "null") > 50 {
		t.Errorf("%d bytes, %d values", len(got), strings.Count(got, "null"))
	}
}
