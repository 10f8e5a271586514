package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// numbering pairs the items of two lists: items with one identity have one
// number, counted from 0 in the order in which identities appear, first in
// the left list, then in the right one. An item without an identity has the
// number -1.
type numbering struct {
	left, right []int32 // item -> number
	count       int     // how many numbers there are

	lefts, rights   []int32 // number -> how many items have it
	leftAt, rightAt []int32 // number -> index of the first such item
}

// quadratic is the number of identities up to which comparing every pair is
// cheaper than hashing.
const quadratic = 8

// number pairs x and y in linear time. The result lives in w.ints; the caller
// pops it.
func (w *walker) number(l *graph.List, x, y []any) numbering {
	n := len(x) + len(y)
	s := w.scratch(5 * n)
	nb := numbering{
		left: s[:len(x)], right: s[len(x):n],
		lefts: s[n : 2*n], rights: s[2*n : 3*n],
		leftAt: s[3*n : 4*n], rightAt: s[4*n : 5*n],
	}
	// item returns the first item with a number, to compare others with.
	item := func(id int32) any {
		if nb.lefts[id] > 0 {
			return x[nb.leftAt[id]]
		}
		return y[nb.rightAt[id]]
	}
	find := func(it any) int32 {
		for id := int32(0); id < int32(nb.count); id++ {
			if sameItem(l, item(id), it) {
				return id
			}
		}
		return -1
	}
	var t table
	if n > quadratic {
		t = w.table(n)
		find = func(it any) int32 {
			return t.find(hashItem(l, it), func(id int32) bool { return sameItem(l, item(id), it) })
		}
	}
	for i, it := range x {
		if !identified(l, it) {
			nb.left[i] = -1
			continue
		}
		id := find(it)
		if id < 0 {
			id = nb.add(&t, l, it)
			nb.leftAt[id] = int32(i)
		}
		nb.left[i] = id
		nb.lefts[id]++
	}
	for j, it := range y {
		if !identified(l, it) {
			nb.right[j] = -1
			continue
		}
		id := find(it)
		if id < 0 {
			id = nb.add(&t, l, it)
		}
		if nb.rights[id] == 0 {
			nb.rightAt[id] = int32(j)
		}
		nb.right[j] = id
		nb.rights[id]++
	}
	return nb
}

func (nb *numbering) add(t *table, l *graph.List, it any) int32 {
	id := int32(nb.count)
	nb.count++
	if t.slots != nil {
		t.insert(hashItem(l, it), id)
	}
	return id
}

// table is an open-addressing hash table of numbers.
type table struct {
	slots []int32 // number + 1
	mask  uint64
}

// table returns a table for n entries; it lives in w.ints.
func (w *walker) table(n int) table {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return table{slots: w.scratch(size), mask: uint64(size - 1)}
}

func (t *table) insert(h uint64, id int32) {
	for h &= t.mask; t.slots[h] != 0; h = (h + 1) & t.mask {
	}
	t.slots[h] = id + 1
}

func (t *table) find(h uint64, same func(int32) bool) int32 {
	for h &= t.mask; t.slots[h] != 0; h = (h + 1) & t.mask {
		if id := t.slots[h] - 1; same(id) {
			return id
		}
	}
	return -1
}

// duplicate returns the indexes of the first two items of x with one identity,
// -1 if all differ. All items must have an identity.
func (w *walker) duplicate(l *graph.List, x []any, from int) (first, second int) {
	if len(x) <= quadratic {
		for j := max(from, 1); j < len(x); j++ {
			for i := 0; i < j; i++ {
				if sameItem(l, x[i], x[j]) {
					return i, j
				}
			}
		}
		return -1, -1
	}
	mark := w.ints.len()
	defer w.ints.pop(mark)
	t := w.table(len(x))
	for j, it := range x {
		h := hashItem(l, it)
		i := t.find(h, func(i int32) bool { return sameItem(l, x[i], it) })
		if i >= 0 {
			if j >= from {
				return int(i), j
			}
			continue
		}
		t.insert(h, int32(j))
	}
	return -1, -1
}

// index finds the items of a list by the path elements that name them.
type index struct {
	l     *graph.List
	items []any
	t     table
}

// index makes an index of items for about n look-ups. It lives in w.ints.
func (w *walker) index(l *graph.List, items []any, n int) index {
	ix := index{l: l, items: items}
	if n*len(items) <= quadratic*quadratic {
		return ix
	}
	ix.t = w.table(len(items))
	for i, it := range items {
		if identified(l, it) {
			ix.t.insert(hashItem(l, it), int32(i))
		}
	}
	return ix
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
	if ix.t.slots == nil {
		for i := range ix.items {
			if identified(ix.l, ix.items[i]) {
				hit(int32(i))
			}
		}
		return at, more
	}
	if h, ok := hashElement(ix.l, pe); ok {
		ix.t.find(h, hit)
	}
	return at, more
}
