// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"fmt"
	"testing"
)

// TestFinder checks that an entry is found by its identifier, both in a short list and
// in a long list of entries.
func TestFinder(t *testing.T) {
	for _, n := range []int{0, 1, fewEntries, fewEntries + 1, 3 * fewEntries} {
		var list []entry
		added, known := finder{}, finder{}
		for i := range n {
			if at := added.find(list, fmt.Sprint(i)); at != -1 {
				t.Fatalf("%d of %d: found at %d before it was there", i, n, at)
			}
			list = append(list, entry{id: fmt.Sprint(i)})
		}
		known.add(list)
		for i := range n {
			for _, f := range []*finder{&added, &known} {
				if at := f.find(list, fmt.Sprint(i)); at != i {
					t.Fatalf("%d of %d: found at %d", i, n, at)
				}
			}
		}
		if at := known.find(list, "none"); at != -1 {
			t.Fatalf("of %d one is found that is not there", n)
		}
	}
}
