// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"math"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// index finds the items of a list that a path element identifies. It uses the scratch space
// of its Memory.
type index struct {
	w     *Memory
	l     *graph.List
	items []any
	few   bool       // true if the list or the number of lookups is too small for a hash table to be worthwhile
	t     data.Table // the hash table; the first lookup that needs it fills it
	next  int        // the index where the next FindByText starts, because lookups usually have the order of the items
}

// Index returns an index of items for about n lookups.
func (w *Memory) Index(l *graph.List, items []any, n int) index {
	return index{w: w, l: l, items: items, few: n*len(items) <= quadratic*quadratic}
}

// Find returns the index of the first item that pe identifies, or -1. more reports whether pe
// identifies other items, too.
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

// each calls f for the items that pe identifies, in their order, until f returns false.
func (ix *index) each(pe *fieldpath.PathElement, f func(i int) bool) {
	if ix.few {
		for i := range ix.items {
			if Matches(ix.l, pe, ix.items[i]) && !f(i) {
				return
			}
		}
		return
	}
	if ix.t.IsZero() {
		ix.t = data.NewTable(&ix.w.Ints, len(ix.items))
		ix.t.Add(len(ix.items), ix.hash)
	}
	h, ok := hashElement(&ix.t.Hashing, ix.l, pe)
	if ix.t.RebuildIfLoose(len(ix.items), ix.hash) {
		h, ok = hashElement(&ix.t.Hashing, ix.l, pe)
	}
	if ok {
		ix.t.Find(h, func(i int32) bool { return matches(ix.l, pe, ix.items[i]) && !f(int(i)) })
	}
}

// hash returns the hash of item i. It returns false if the item has no identity.
func (ix *index) hash(i int) (uint64, bool) {
	if !HasIdentity(ix.l, ix.items[i]) {
		return 0, false
	}
	return hashItem(&ix.t.Hashing, ix.l, ix.items[i]), true
}

// FindByText returns the index of an item whose path element has the same text as pe (see
// PathElement.String). If there is no such item, it returns -1. ids has the identities of all
// items.
//
// The text matters if a caller uses pe in place of the item's own element. Error messages show
// the text, and they must not depend on the source of the element.
func (ix *index) FindByText(pe *fieldpath.PathElement, ids Identities) int {
	at := ix.next
	if at >= len(ix.items) || !ids.sameText(pe, ix.l, at) {
		at = -1
		found := func(i int) bool {
			if ids.sameText(pe, ix.l, i) {
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

// sameText reports whether pe has the same text as the path element of item i. pe then
// identifies item i.
func (ids Identities) sameText(pe *fieldpath.PathElement, l *graph.List, i int) bool {
	id := ids.At(i)
	if len(l.Keys) == 0 {
		return pe.Value != nil && sameValueText((*pe.Value).Unstructured(), id[0])
	}
	if pe.Key == nil {
		return false
	}
	rest := *pe.Key
	for k, v := range id {
		if v == noKey {
			continue
		}
		if len(rest) == 0 || !sameValueText(rest[0].Value.Unstructured(), v) || rest[0].Name != l.Keys[k].Name {
			return false
		}
		rest = rest[1:]
	}
	return len(rest) == 0
}

// sameValueText reports whether v is identical to stored, a value from a field set. Numbers of
// different Go types count as identical if they have the same text. The numbers of a decoded
// set are float64. The text of a million is 1e+06 for a float64, and 1000000 for an integer.
func sameValueText(stored, v any) bool {
	f, isFloat := stored.(float64)
	if i, isInt := v.(int64); isFloat && isInt {
		return f == float64(i) && -1e6 < i && i < 1e6 && (i != 0 || !math.Signbit(f))
	}
	return data.Identical(stored, v)
}

// ListIndexes makes many lookups in the same lists fast. After the first few lookups in a
// long list, it builds a hash table of the list. ListIndexes identifies a list by the address of its first
// item, so the lists must not change. It is not safe for concurrent use.
type ListIndexes map[*any]*listIndex

// Lists with fewer than fewToIndex items get no hash table. Other lists get one after fewLookups
// lookups.
const fewToIndex, fewLookups = 16, 4

type listIndex struct {
	index
	lookups int
}

// Find returns the index of the first item that element identifies in an associative list. If
// x is nil, Find builds no hash table, and searches the whole list.
func (x ListIndexes) Find(list *graph.List, items []any, element fieldpath.PathElement) (i int, found bool) {
	name, ok := CurrentElement(list, element)
	if !ok {
		return 0, false
	}
	i, _ = x.index(list, items).Find(&name)
	return i, i >= 0
}

// All returns all items that element identifies, in their order.
func (x ListIndexes) All(list *graph.List, items []any, element fieldpath.PathElement) (found []any) {
	if name, ok := CurrentElement(list, element); ok {
		x.index(list, items).each(&name, func(i int) bool {
			found = append(found, items[i])
			return true
		})
	}
	return found
}

// index returns an index of the items of a list. The index has no hash table if the list is
// small, or if there were only a few lookups in the list so far.
func (x ListIndexes) index(list *graph.List, items []any) *index {
	if x == nil || len(items) < fewToIndex {
		return &index{l: list, items: items, few: true}
	}
	ix := x[&items[0]]
	if ix == nil {
		ix = &listIndex{index: index{w: new(Memory), l: list, items: items}}
		x[&items[0]] = ix
	}
	ix.lookups++
	ix.few = ix.lookups <= fewLookups
	return &ix.index
}
