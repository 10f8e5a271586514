// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

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
	asked int
	items []namedItem
}

// Find returns where the item of an associative list is that element names, the first of several. A nil ListIndexes searches.
func (x ListIndexes) Find(list *graph.List, items []any, element fieldpath.PathElement) (i int, found bool) {
	name, ok := Named(list, element)
	if !ok {
		return 0, false
	}
	if index := x.index(items); index != nil {
		named := index.of(list, items, name)
		if len(named) == 0 {
			return 0, false
		}
		return named[0].at, true
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
		for _, named := range index.of(list, items, name) {
			found = append(found, items[named.at])
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

// of returns the items of a name.
func (x *listIndex) of(list *graph.List, items []any, name fieldpath.PathElement) []namedItem {
	if x.items == nil {
		x.items = namedItems(list, items)
	}
	at, _ := slices.BinarySearchFunc(x.items, name, namedItem.compare)
	end := at
	for end < len(x.items) && x.items[end].compare(name) == 0 {
		end++
	}
	return x.items[at:end]
}

// namedItem is an item of an associative list by its identity.
type namedItem struct {
	name fieldpath.PathElement
	at   int
}

func (n namedItem) compare(name fieldpath.PathElement) int { return n.name.Compare(name) }

// namedItems are those of items that have an identity, sorted by it and by where they
// are.
func namedItems(list *graph.List, items []any) []namedItem {
	named := make([]namedItem, 0, len(items))
	for i, v := range items {
		if e, ok := Identity(list, v); ok {
			named = append(named, namedItem{e, i})
		}
	}
	slices.SortStableFunc(named, func(a, b namedItem) int { return a.compare(b.name) })
	return named
}
