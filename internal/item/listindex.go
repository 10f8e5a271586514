// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"iter"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// ListIndexes are for many lookups in lists that stay as they are: one that is asked
// again and again is searched through once. They know lists by where their first items
// are, and are not safe for concurrent use.
type ListIndexes map[*any]*listIndex

// fewToIndex and fewLookups are what is not worth an index.
const fewToIndex, fewLookups = 16, 4

// listIndex is the index of one list: where the items of one hash are, in their order.
type listIndex struct {
	asked int
	first map[uint64]int32
	next  []int32 // -1 behind the last
	data.Hashing
}

// Find returns where the item of an associative list is that element names, the first of several. A nil ListIndexes searches.
func (x ListIndexes) Find(list *graph.List, items []any, element fieldpath.PathElement) (i int, found bool) {
	name, ok := Named(list, element)
	if !ok {
		return 0, false
	}
	if index := x.index(items); index != nil {
		for i := range index.named(list, items, &name) {
			return i, true
		}
		return 0, false
	}
	for i, item := range items {
		if Names(list, &name, item) {
			return i, true
		}
	}
	return 0, false
}

// All returns all items that element names, in their order.
func (x ListIndexes) All(list *graph.List, items []any, element fieldpath.PathElement) (found []any) {
	name, ok := Named(list, element)
	if !ok {
		return nil
	}
	if index := x.index(items); index != nil {
		for i := range index.named(list, items, &name) {
			found = append(found, items[i])
		}
		return found
	}
	for _, item := range items {
		if Names(list, &name, item) {
			found = append(found, item)
		}
	}
	return found
}

// index returns the index of a list, nil if it is not worth one.
func (x ListIndexes) index(items []any) *listIndex {
	if x == nil || len(items) < fewToIndex {
		return nil
	}
	index := x[&items[0]]
	if index == nil {
		index = &listIndex{}
		x[&items[0]] = index
	}
	if index.asked++; index.asked <= fewLookups {
		return nil
	}
	return index
}

// named goes through the items that a name made by Named names.
func (x *listIndex) named(list *graph.List, items []any, name *fieldpath.PathElement) iter.Seq[int] {
	return func(yield func(int) bool) {
		if x.next == nil {
			x.fill(list, items)
		}
		h, ok := hashElement(&x.Hashing, list, name)
		if x.Turned() {
			x.fill(list, items)
			h, ok = hashElement(&x.Hashing, list, name)
		}
		i, there := x.first[h]
		for ok = ok && there; ok && i >= 0; i = x.next[i] {
			if names(list, name, items[i]) && !yield(int(i)) {
				return
			}
		}
	}
}

// fill takes up all items, once more where hashing turned out to be loose.
func (x *listIndex) fill(list *graph.List, items []any) {
	for again := true; again; again = x.Turned() {
		x.first, x.next = make(map[uint64]int32, len(items)), make([]int32, len(items))
		for i := len(items) - 1; i >= 0; i-- {
			if !Identified(list, items[i]) {
				continue
			}
			h := hashItem(&x.Hashing, list, items[i])
			next, ok := x.first[h]
			if !ok {
				next = -1
			}
			x.next[i], x.first[h] = next, int32(i)
		}
	}
}
