// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package box

import "testing"

func TestSame(t *testing.T) {
	type named map[string]int
	m, n := named{}, named{}
	if !SameMap(m, m) || SameMap(m, n) || SameMap(m, nil) || !SameMap[named](nil, nil) || MapAddress(named(nil)) != nil {
		t.Error("maps are not identified by their addresses")
	}
	m["a"] = 1
	if grown := m; len(grown) != 1 || !SameMap(m, grown) {
		t.Error("a map that grew is another one")
	}
	x := []int{1, 1}
	for _, c := range []struct {
		a, b []int
		want bool
	}{
		{x, x, true}, {x, x[:1], false}, {x[:1], x[1:], false}, {x[1:], x[1:], true},
		{x, []int{1, 1}, false}, {nil, nil, true}, {nil, []int{}, true}, {x[:0], x[2:], true}, {x, nil, false},
	} {
		if got := SameList(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}
