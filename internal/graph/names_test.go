package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	many := func(n int, name func(i int) string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = name(i)
		}
		return out
	}
	for what, all := range map[string][]string{
		"one":         {"spec"},
		"empty name":  {"", "a"},
		"usual":       {"apiVersion", "kind", "metadata", "spec", "status"},
		"look alike":  {"aXbXc", "aYbYc", "aZbZc", "aVbVc", "aWbWc"},
		"numbered":    many(2000, func(i int) string { return fmt.Sprintf("field%04d", i) }),
		"hash floods": many(3000, func(i int) string { return fmt.Sprintf("a%04da%04da", i, i) }),
		"too many":    many(70000, func(i int) string { return fmt.Sprint(i) }),
	} {
		slices.Sort(all)
		fields := make([]Field, len(all))
		for i, name := range all {
			fields[i] = Field{Name: name, Type: &Node{}}
		}
		m := NewMap(fields, &Node{})
		for i, name := range all {
			if f := m.Field(strings.Clone(name)); f != &fields[i] {
				t.Fatalf("%s: %q is not found", what, name)
			}
			for _, other := range []string{name + "x", "x" + name, strings.ToUpper(name) + "\x00"} {
				if _, is := slices.BinarySearch(all, other); !is && m.Field(other) != nil {
					t.Fatalf("%s: %q is found", what, other)
				}
			}
		}
		if probes := longest(m.names.slots); probes >= 2*maxProbes*maxProbes {
			t.Errorf("%s: a name may be compared with %d fields", what, probes)
		}
	}
}

// longest returns the length of the longest run of slots in use.
func longest(slots []uint16) (most int) {
	run := 0
	for _, s := range slices.Concat(slots, slots) {
		if s == 0 {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return min(most, len(slots))
}
