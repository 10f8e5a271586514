// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "hash/maphash"

// index finds the entries of a list by name; of several with one name the last.
// It takes a few bytes an entry, since it keeps numbers and no names.
type index struct {
	slots []int32 // 1 + number of an entry, 0 where there is none
}

// unindexed is up to how many entries a list needs no index.
const unindexed = 8

var nameSeed = maphash.MakeSeed()

// newIndex returns the index of n entries.
func newIndex(n int, name func(i int) string) *index {
	if n <= unindexed {
		return &index{}
	}
	size := 16
	for size < n+n/2 {
		size *= 2
	}
	x := &index{slots: make([]int32, size)}
	for i := range n {
		at := x.first(name(i))
		for x.slots[at] != 0 && name(int(x.slots[at]-1)) != name(i) {
			at = x.next(at)
		}
		x.slots[at] = int32(i + 1)
	}
	return x
}

func (x *index) first(name string) int {
	return int(maphash.String(nameSeed, name) & uint64(len(x.slots)-1))
}

func (x *index) next(at int) int { return (at + 1) & (len(x.slots) - 1) }

// find returns the number of the entry of that name, -1 if there is none. The
// list is the one that x was made of.
func (x *index) find(wanted string, n int, name func(i int) string) int {
	if len(x.slots) == 0 {
		for i := n - 1; i >= 0; i-- {
			if name(i) == wanted {
				return i
			}
		}
		return -1
	}
	for at := x.first(wanted); x.slots[at] != 0; at = x.next(at) {
		if i := int(x.slots[at] - 1); name(i) == wanted {
			return i
		}
	}
	return -1
}
