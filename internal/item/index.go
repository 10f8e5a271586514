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
	few   bool // look-ups, or items: a table does not pay
	t     data.Table
}

// Index makes an index of items for about n look-ups.
func (w *Memory) Index(l *graph.List, items []any, n int) index {
	return index{w: w, l: l, items: items, few: n*len(items) <= quadratic*quadratic}
}

// fill fills the table, at the first look-up and when hashing turned out to be loose.
func (ix *index) fill() {
	if ix.t.Slots == nil {
		ix.t = data.NewTable(&ix.w.Ints, len(ix.items))
	}
	ix.t.Add(len(ix.items), func(i int) (uint64, bool) {
		if !Identified(ix.l, ix.items[i]) {
			return 0, false
		}
		return hashItem(&ix.t.Hashing, ix.l, ix.items[i]), true
	})
}

// Find returns the index of the first item that pe names, -1 if there is none,
// and whether there are more.
func (ix *index) Find(pe *fieldpath.PathElement) (at int, more bool) {
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
			if Identified(ix.l, ix.items[i]) {
				hit(int32(i))
			}
		}
		return at, more
	}
	if ix.t.Slots == nil {
		ix.fill()
	}
	h, ok := hashElement(&ix.t.Hashing, ix.l, pe)
	if ix.t.Turned() {
		clear(ix.t.Slots)
		ix.fill()
		h, ok = hashElement(&ix.t.Hashing, ix.l, pe)
	}
	if ok {
		ix.t.Find(h, hit)
	}
	return at, more
}

// Ordered says whether no item is there twice, and those of both lists stand in the
// same order.
func (nb *Pairing) Ordered() bool {
	last := int32(-1)
	for id := range nb.Count {
		if nb.Lefts[id] > 1 || nb.Rights[id] > 1 {
			return false
		}
		if nb.Lefts[id] == 1 && nb.Rights[id] == 1 {
			if nb.RightAt[id] < last {
				return false
			}
			last = nb.RightAt[id]
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
	return data.Identical(stored, v)
}

// exactIndex finds the items of a list by the elements that name them exactly.
type exactIndex struct {
	Identities
	w    *Memory
	l    *graph.List
	n    int
	next int        // most often the order is the same
	t    data.Table // once there are many to search
}

// ExactIndex makes an index of the n items that have these identities.
func (w *Memory) ExactIndex(l *graph.List, ids Identities, n int) exactIndex {
	return exactIndex{w: w, l: l, Identities: ids, n: n}
}

// Find returns the index of an item that pe names, -1 if there is none.
func (ix *exactIndex) Find(pe *fieldpath.PathElement) int {
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
	if ix.t.Slots == nil {
		ix.t = data.NewTable(&ix.w.Ints, ix.n)
		ix.fill()
	}
	h, ok := hashElement(&ix.t.Hashing, ix.l, pe)
	if ix.t.Turned() {
		clear(ix.t.Slots)
		ix.fill()
		h, ok = hashElement(&ix.t.Hashing, ix.l, pe)
	}
	if !ok {
		return -1
	}
	return int(ix.t.Find(h, func(i int32) bool { return ix.named(pe, int(i)) }))
}

func (ix *exactIndex) fill() {
	ix.t.Add(ix.n, func(i int) (uint64, bool) { return ix.hash(&ix.t.Hashing, i), true })
}

// named says whether pe is the element that names item i.
func (ix *exactIndex) named(pe *fieldpath.PathElement, i int) bool {
	id := ix.Of(i)
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
