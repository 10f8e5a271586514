// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// list returns what a list sets: its items, and what they set.
func (b *setBuilder) list(l *graph.List, x []any, like *fieldpath.Set) subset {
	if len(x) == 0 {
		return subset{}
	}
	w := b.w
	start := w.entries.Len()
	alike := like != nil && b.itemsLike(l, x, like)
	if !alike {
		b.items(l, x)
	}
	end := start + len(x)
	found := b.found.Len()
	below := childrenOf(like)
	leaves := leaf(l.Item)
	kept := start
	for i := start; i < end; {
		e := w.entries.S[i]
		next := i + 1
		if !alike {
			for next < end && w.entries.S[next].again {
				next++
			}
		}
		e.member, e.child = true, false
		if next > i+1 {
			// The second of several items is the one that is remembered.
			e.pe = w.entries.S[i+1].pe
		} else if !leaves {
			if _, child := b.value(l.Item, e.v, below.find(&e.pe)); !child.none() {
				e.child = true
				b.found.Push(child)
			}
		}
		w.entries.S[kept] = e
		kept++
		i = next
	}
	w.entries.Pop(kept)
	return b.endEntries(start, found, like)
}

// items pushes the items in the order of their elements. Those that share the
// element of the one before are marked. Lists of no known kind have no identities,
// even where they have keys.
func (b *setBuilder) items(l *graph.List, x []any) {
	w := b.w
	w.entries.Room(len(x))
	w.lists.Room(len(x))
	w.fields.Room(len(x) * len(l.Keys))
	if l.Relation != graph.Associative {
		b.itemsByElement(l, x)
		return
	}
	keys, ints := w.keys.Len(), w.ints.Len()
	if ids, n := w.identities(l, x); n < len(x) || ids.lack() {
		b.itemsByElement(l, x)
	} else {
		b.itemsByIdentity(l, x, ids)
	}
	w.keys.Pop(keys)
	w.ints.Pop(ints)
}

// itemsByIdentity is items for lists of which no item lacks a key.
func (b *setBuilder) itemsByIdentity(l *graph.List, x []any, ids identities) {
	w := b.w
	push := func(i int, again bool) {
		w.entries.Push(entry{pe: w.elementOf(l, ids.of(i)), v: x[i], again: again})
	}
	if ids.inOrder(len(x)) {
		for i := range x {
			push(i, i > 0 && ids.compare(i-1, i) == 0)
		}
		return
	}
	mark := w.ranks.Len()
	sorted := w.sorted(len(x), func(i int) lead { return leadOf(ids.of(i)[0]) }, ids.compare)
	for k, r := range sorted {
		push(int(r.at), k > 0 && sorted[k-1].rank == r.rank && ids.compare(int(sorted[k-1].at), int(r.at)) == 0)
	}
	w.ranks.Pop(mark)
}

// itemsByElement is items for others. Items without an identity have the zero
// element.
func (b *setBuilder) itemsByElement(l *graph.List, x []any) {
	w := b.w
	start := w.entries.Len()
	for i, v := range x {
		w.entries.Push(entry{pe: w.element(l, v), at: int32(i), v: v})
	}
	entries := w.entries.S[start:]
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(a.pe.Compare(b.pe), int(a.at-b.at)) })
	for i := 1; i < len(entries); i++ {
		entries[i].again = entries[i].pe.Compare(entries[i-1].pe) == 0
	}
}
