// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// index finds the items of a list by the path elements that name them. It lives
// in w.ints.
type index struct {
	w     *itemMemory
	l     *graph.List
	items []any
	few   bool // look-ups, or items: a table does not pay
	t     table
}

// index makes an index of items for about n look-ups.
func (w *itemMemory) index(l *graph.List, items []any, n int) index {
	return index{w: w, l: l, items: items, few: n*len(items) <= quadratic*quadratic}
}

// fill fills the table, at the first look-up and when hashing turned out to be loose.
func (ix *index) fill() {
	if ix.t.slots == nil {
		ix.t = newTable(&ix.w.ints, len(ix.items))
	}
	ix.t.add(len(ix.items), func(i int) (uint64, bool) {
		if !identified(ix.l, ix.items[i]) {
			return 0, false
		}
		return hashItem(&ix.t.hashing, ix.l, ix.items[i]), true
	})
}

// find returns the index of the first item that pe names, -1 if there is none,
// and whether there are more.
func (ix *index) find(pe *fieldpath.PathElement) (at int, more bool) {
	at = -1
	hit := func(i int32) bool {
		if !names(ix.l, pe, ix.items[i]) {
			return false
		}
		if at < 0 {
			at = int(i)
			return false
		}
		if int(i) < at {
			at = int(i)
		}
		more = true
		return false
	}
	if ix.few {
		for i := range ix.items {
			if identified(ix.l, ix.items[i]) {
				hit(int32(i))
			}
		}
		return at, more
	}
	if ix.t.slots == nil {
		ix.fill()
	}
	h, ok := hashElement(&ix.t.hashing, ix.l, pe)
	if ix.t.turned() {
		clear(ix.t.slots)
		ix.fill()
		h, ok = hashElement(&ix.t.hashing, ix.l, pe)
	}
	if ok {
		ix.t.find(h, hit)
	}
	return at, more
}

// ordered says whether no item is there twice, and those of both lists stand in the
// same order.
func (nb *pairing) ordered() bool {
	last := int32(-1)
	for id := range nb.count {
		if nb.lefts[id] > 1 || nb.rights[id] > 1 {
			return false
		}
		if nb.lefts[id] == 1 && nb.rights[id] == 1 {
			if nb.rightAt[id] < last {
				return false
			}
			last = nb.rightAt[id]
		}
	}
	return true
}

// printAlike says whether stored, of a set, and v are identical but maybe for the Go
// types of a number that both print in the same way. Numbers of decoded sets are
// float64; those of a million and more print as 1e+06.
func printAlike(stored, v any) bool {
	f, isFloat := stored.(float64)
	if i, isInt := v.(int64); isFloat && isInt {
		return f == float64(i) && -1e6 < i && i < 1e6 && (i != 0 || !math.Signbit(f))
	}
	return Identical(stored, v)
}

// exactIndex finds the items of a list by the elements that name them exactly.
type exactIndex struct {
	identities
	w    *itemMemory
	l    *graph.List
	n    int
	next int   // most often the order is the same
	t    table // once there are many to search
}

// exactIndexOf makes an index of the n items that have these identities.
func (w *itemMemory) exactIndexOf(l *graph.List, ids identities, n int) exactIndex {
	return exactIndex{w: w, l: l, identities: ids, n: n}
}

// find returns the index of an item that pe names, -1 if there is none.
func (ix *exactIndex) find(pe *fieldpath.PathElement) int {
	at := ix.next
	if at >= ix.n || !ix.named(pe, at) {
		at = ix.search(pe)
	}
	ix.next = at + 1
	return at
}

func (ix *exactIndex) search(pe *fieldpath.PathElement) int {
	if ix.n <= fewIdentities {
		for i := range ix.n {
			if ix.named(pe, i) {
				return i
			}
		}
		return -1
	}
	if ix.t.slots == nil {
		ix.t = newTable(&ix.w.ints, ix.n)
		ix.fill()
	}
	h, ok := hashElement(&ix.t.hashing, ix.l, pe)
	if ix.t.turned() {
		clear(ix.t.slots)
		ix.fill()
		h, ok = hashElement(&ix.t.hashing, ix.l, pe)
	}
	if !ok {
		return -1
	}
	return int(ix.t.find(h, func(i int32) bool { return ix.named(pe, int(i)) }))
}

func (ix *exactIndex) fill() {
	ix.t.add(ix.n, func(i int) (uint64, bool) { return ix.hash(&ix.t.hashing, i), true })
}

// named says whether pe is the element that names item i.
func (ix *exactIndex) named(pe *fieldpath.PathElement, i int) bool {
	id := ix.of(i)
	if len(ix.l.Keys) == 0 {
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
		if len(rest) == 0 || !printAlike(rest[0].Value.Unstructured(), v) || rest[0].Name != ix.l.Keys[k].Name {
			return false
		}
		rest = rest[1:]
	}
	return len(rest) == 0
}
