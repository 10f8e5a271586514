// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package allocs

import "testing"

var kept []*int

func TestLeast(t *testing.T) {
	for _, c := range []struct {
		name  string
		wants func(call int) int
		least float64
	}{
		{"nothing", func(int) int { return 0 }, 0},
		{"always three", func(int) int { return 3 }, 3},
		{"two, and now and then more", func(call int) int { return 2 + call%3 }, 2},
		{"nothing at the last call", func(call int) int { return min(1, 2*calls-1-call) }, 0},
	} {
		call := 0
		got := Least(func() {
			kept = kept[:0]
			for range c.wants(call) {
				kept = append(kept, new(int))
			}
			call++
		})
		if got != c.least {
			t.Errorf("%s: got %v, want %v", c.name, got, c.least)
		}
	}
}
