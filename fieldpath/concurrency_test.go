// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"sync"
	"testing"
)

// TestConcurrentReads reads and combines sets that share memory in many goroutines. Run it
// with -race.
func TestConcurrentReads(t *testing.T) {
	x := fromJSON(t, toJSON(t, pod(2)))
	y := x.Difference(fields("spec.dnsPolicy")).Union(fields("status.phase"))
	filter := NewIncludeMatcherFilter(MakePrefixMatcherOrDie("spec"))
	want := toJSON(t, x.Union(y))
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 20 {
				union := x.Union(y)
				got, err := union.ToJSON()
				if err != nil || string(got) != want {
					t.Errorf("got %s, %v", got, err)
				}
				back := &Set{}
				if err := back.FromJSON(reader(got)); err != nil || !back.Equals(union) {
					t.Errorf("comes back as %s, %v", back, err)
				}
				union.Insert(p("own"))
				x.Intersection(y).Insert(p("own"))
				x.RecursiveDifference(y).Leaves()
				filter.Filter(x).Copy()
				for path := range y.All() {
					if !y.Has(path) {
						t.Errorf("%s is not there", path)
					}
				}
			}
		}()
	}
	group.Wait()
}
