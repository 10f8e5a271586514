// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"testing"
)

func TestIndex(t *testing.T) {
	for _, n := range []int{0, 1, unindexed, unindexed + 1, 100, 1000} {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprint("name", i)
		}
		if n > 3 {
			all[3] = all[0]
		}
		name := func(i int) string { return all[i] }
		x := newIndex(n, name)
		for i := range all {
			want := i
			if n > 3 && i == 0 {
				want = 3
			}
			if got := x.find(all[i], n, name); got != want {
				t.Errorf("of %d: %s is entry %d, want %d", n, all[i], got, want)
			}
		}
		for _, absent := range []string{"", "name", "name1000"} {
			if got := x.find(absent, n, name); got != -1 {
				t.Errorf("of %d: %q is entry %d", n, absent, got)
			}
		}
	}
}
