// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"math"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// index finds the items of a list by the path elements that name them. Its
// memory is that of the walk.
type index struct {
	w     *Memory
	l     *graph.List
	items []any
	few   bool       // look-ups, or items: a table does not pay
	t     data.Table // once there are many to search
	next  int        // where FindAsPrinted looks first: most often the order is the same
}

// Index makes an index of items for about n look-ups.
func (w *Memory) Index(l *graph.List, items []any, n int) index {
	return index{w: w, l: l, items: items, few: n*len(items) <= quadratic*quadratic}
}

// Find returns the index of the first item that pe names, -1 if there is none,
// and whether there are more.
func (ix *index) Find(pe *fieldpath.PathElement) (at int, more bool) {
	at = -1
	ix.each(pe, func(i int) bool {
		if more = at >= 0; !more {
			at = i
		}
		return !more
	})
	return at, more
}

// each calls f for the items that pe names, in their order, as long as it says so.
func (ix *index) each(pe *fieldpath.PathElement, f func(i int) bool) {
	if ix.few {
		for i := range ix.items {
			if Names(ix.l, pe, ix.items[i]) && !f(i) {
				return
			}
		}
		return
	}
	if ix.t.Slots == nil {
		ix.t = data.NewTable(&ix.w.Ints, len(ix.items))
		ix.t.Add(len(ix.items), ix.hash)
	}
	h, ok := hashElement(&ix.t.Hashing, ix.l, pe)
	if ix.t.RebuildIfLoose(len(ix.items), ix.hash) {
		h, ok = hashElement(&ix.t.Hashing, ix.l, pe)
	}
	if ok {
		// Those of one hash come in the order in which they were added.
		ix.t.Find(h, func(i int32) bool { return names(ix.l, pe, ix.items[i]) && !f(int(i)) })
	}
}

func (ix *index) hash(i int) (uint64, bool) {
	if !Identified(ix.l, ix.items[i]) {
		return 0, false
	}
	return hashItem(&ix.t.Hashing, ix.l, ix.items[i]), true
}

// FindAsPrinted returns the index of an item that pe names and whose own element prints
// as pe does, -1 if there is none. ids are the identities of all items.
func (ix *index) FindAsPrinted(pe *fieldpath.PathElement, ids Identities) int {
	at := ix.next
	if at >= len(ix.items) || !ids.printAs(pe, ix.l, at) {
		at = -1
		found := func(i int) bool {
			if ids.printAs(pe, ix.l, i) {
				at = i
			}
			return at >= 0
		}
		if len(ix.items) > fewIdentities {
			ix.each(pe, func(i int) bool { return !found(i) })
		} else {
			for i := 0; i < len(ix.items) && !found(i); i++ {
			}
		}
	}
	ix.next = at + 1
	return at
}

// printAs says whether pe names item i and prints as the element of that does.
func (ids Identities) printAs(pe *fieldpath.PathElement, l *graph.List, i int) bool {
	id := ids.Of(i)
	if len(l.Keys) == 0 {
		return pe.Value != nil && printAlike((*pe.Value).Unstructured(), id[0])
	}
	if pe.Key == nil {
		return false
	}
	rest := *pe.Key
	for k, v := range id {
		if v == absent {
			continue
		}
		if len(rest) == 0 || !printAlike(rest[0].Value.Unstructured(), v) || rest[0].Name != l.Keys[k].Name {
			return false
		}
		rest = rest[1:]
	}
	return len(rest) == 0
}

// printAlike says whether stored, of a set, and v are identical but maybe for the Go
// types of a number that both print in the same way. Numbers of decoded sets are
// float64; those of a million and more print as 1e+06.
func printAlike(stored, v any) bool {
	f, isFloat := stored.(float64)
	if i, isInt := v.(int64); isFloat && isInt {
		return f == float64(i) && -1e6 < i && i < 1e6 && (i != 0 || !math.Signbit(f))
	}
	return data.Identical(stored, v)
}

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
