// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// ListIndexes are for many lookups in lists that stay as they are: one that is asked
// again and again is searched through once. They know lists by where their first items
// are, and are not safe for concurrent use.
type ListIndexes map[*any]*listIndex

// fewToIndex and fewLookups are what is not worth an index.
const fewToIndex, fewLookups = 16, 4

type listIndex struct {
	index
	asked int
}

// Find returns where the item of an associative list is that element names, the first of several. A nil ListIndexes searches.
func (x ListIndexes) Find(list *graph.List, items []any, element fieldpath.PathElement) (i int, found bool) {
	name, ok := Named(list, element)
	if !ok {
		return 0, false
	}
	i, _ = x.index(list, items).Find(&name)
	return i, i >= 0
}

// All returns all items that element names, in their order.
func (x ListIndexes) All(list *graph.List, items []any, element fieldpath.PathElement) (found []any) {
	if name, ok := Named(list, element); ok {
		x.index(list, items).each(&name, func(i int) bool {
			found = append(found, items[i])
			return true
		})
	}
	return found
}

// index returns the index of a list, which searches if it is not worth a table.
func (x ListIndexes) index(list *graph.List, items []any) *index {
	if x == nil || len(items) < fewToIndex {
		return &index{l: list, items: items, few: true}
	}
	ix := x[&items[0]]
	if ix == nil {
		ix = &listIndex{index: index{w: new(Memory), l: list, items: items}}
		x[&items[0]] = ix
	}
	ix.asked++
	ix.few = ix.asked <= fewLookups
	return &ix.index
}
