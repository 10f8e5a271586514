// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// Ownership is an index that finds the owners of a path. It is fast even if there are many
// entries.
type Ownership struct {
	entries []managedfields.Entry
	root    *ownedPlace
}

// An ownedPlace is the node for one path in the tree of owned paths. owners holds the indexes of
// the entries that own this path. Owners of longer paths are in the nodes below.
type ownedPlace struct {
	owners []int
	below  map[string]*ownedPlace
}

// NewOwnership returns an index of the paths in the field sets of entries.
func NewOwnership(entries []managedfields.Entry) *Ownership {
	o := &Ownership{entries, &ownedPlace{}}
	for i, e := range entries {
		for path := range e.Set.All() {
			at := o.root
			for _, element := range path {
				name := element.String()
				next := at.below[name]
				if next == nil {
					if at.below == nil {
						at.below = map[string]*ownedPlace{}
					}
					next = &ownedPlace{}
					at.below[name] = next
				}
				at = next
			}
			at.owners = append(at.owners, i)
		}
	}
	return o
}

// Of returns the entries that own path, or a path below it, in their original order.
func (o *Ownership) Of(path fieldpath.Path) []managedfields.Entry {
	at := o.root
	for _, element := range path {
		if at = at.below[element.String()]; at == nil {
			return nil
		}
	}
	var found []int
	var collect func(p *ownedPlace)
	collect = func(p *ownedPlace) {
		found = append(found, p.owners...)
		for _, below := range p.below {
			collect(below)
		}
	}
	collect(at)
	slices.Sort(found)
	owners := make([]managedfields.Entry, 0, len(found))
	for _, i := range slices.Compact(found) {
		owners = append(owners, o.entries[i])
	}
	return owners
}

// Overlaps reports whether set contains path, a prefix of path, or a path below it.
func Overlaps(set *fieldpath.Set, path fieldpath.Path) bool {
	for i := range path {
		if set.Members.Has(path[i]) {
			return true
		}
		below, ok := set.Children.Get(path[i])
		if !ok {
			return false
		}
		set = below
	}
	return !set.Empty()
}

// Overlap reports whether two paths are equal, or whether one is a prefix of the other.
func Overlap(a, b fieldpath.Path) bool {
	n := min(len(a), len(b))
	return a[:n].Equals(b[:n])
}
