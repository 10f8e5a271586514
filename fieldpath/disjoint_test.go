// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"fmt"
	"testing"
)

// TestDisjointFromOnePath looks for one path in sets of all sizes around the one
// from which on elements are found by their order.
func TestDisjointFromOnePath(t *testing.T) {
	kinds := map[string]func(int) PathElement{
		"field": func(i int) PathElement { return FieldNameElement(fmt.Sprintf("%c%02d", 'a'+i%3, i)) },
		"key":   func(i int) PathElement { return KeyElementByFields("name", fmt.Sprint(i), "port", i) },
		"index": IndexElement,
		"mixed": func(i int) PathElement {
			if i%2 == 0 {
				return IndexElement(i)
			}
			return FieldNameElement(fmt.Sprint(i))
		},
	}
	for kind, element := range kinds {
		for size := range 2*fewElements + 2 {
			var paths []Path
			for i := range size {
				paths = append(paths, Path{element(i)}, Path{element(i), element(i + 1)})
			}
			s := NewSet(paths...)
			for i := range size + 2 {
				for _, path := range []Path{
					{element(i)},
					{element(i), element(i + 1)},
					{element(i), element(i)},
					{element(i), element(i + 1), element(i)},
				} {
					one := NewSet(path)
					want := !s.Has(path)
					if s.Disjoint(one) != want || one.Disjoint(s) != want {
						t.Errorf("%s, %d: disjoint from %v: %v and %v, want %v", kind, size, path, s.Disjoint(one), one.Disjoint(s), want)
					}
				}
			}
		}
	}
}
