// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// pairing pairs the items of two lists: items with one identity have one
// number, counted from 0 in the order in which identities appear, first in
// the left list, then in the right one. An item without an identity has the
// number -1.
type pairing struct {
	left, right []int32 // item -> number
	count       int     // how many numbers there are

	lefts, rights   []int32 // number -> how many items have it
	leftAt, rightAt []int32 // number -> index of the first such item
}

// quadratic is the number of identities up to which comparing every pair is
// cheaper than hashing.
const quadratic = 8

// known is what is known of two lists that are paired.
type known struct {
	unique     bool // every left item has an identity, no two the same
	identified bool // every right item has an identity
}

// Pair pairs x and y in linear time. The result lives in w.ints; the caller
// pops it.
func (w *itemMemory) Pair(l *graph.List, x, y []any, known known) pairing {
	n := len(x) + len(y)
	s := w.ints.Zeros(5 * n)
	p := pairer{w: w, l: l, x: x, y: y, pairing: pairing{
		left: s[:len(x)], right: s[len(x):n],
		lefts: s[n : 2*n], rights: s[2*n : 3*n],
		leftAt: s[3*n : 4*n], rightAt: s[4*n : 5*n],
	}}
	p.lay(known.unique)
	p.pair(known.identified)
	return p.pairing
}

// pairer is a pairing in the making.
type pairer struct {
	pairing
	w    *itemMemory
	l    *graph.List
	x, y []any
	t    table // of the numbers so far, once there are many to search
}

// lay numbers the left items.
func (p *pairer) lay(unique bool) {
	if unique {
		for i := range p.x {
			p.left[i], p.lefts[i], p.leftAt[i] = int32(i), 1, int32(i)
		}
		p.count = len(p.x)
		return
	}
	for i, it := range p.x {
		if !identified(p.l, it) {
			p.left[i] = -1
			continue
		}
		id, added := p.numberOf(it)
		if added {
			p.leftAt[id] = int32(i)
		}
		p.left[i] = id
		p.lefts[id]++
	}
}

// pair numbers the right items. Most often they are in step with the left ones,
// so what follows the last pair is tried before any search.
func (p *pairer) pair(all bool) {
	step := 0
	for j, it := range p.y {
		if !all && !identified(p.l, it) {
			p.right[j] = -1
			continue
		}
		var id int32
		if step < len(p.x) && p.left[step] >= 0 && sameItem(p.l, p.x[step], it) {
			id = p.left[step]
			step++
		} else if id, _ = p.numberOf(it); p.lefts[id] > 0 {
			step = int(p.leftAt[id]) + 1
		}
		if p.rights[id] == 0 {
			p.rightAt[id] = int32(j)
		}
		p.right[j] = id
		p.rights[id]++
	}
}

// first returns the first item with a number, to compare others with.
func (p *pairer) first(id int32) any {
	if p.lefts[id] > 0 {
		return p.x[p.leftAt[id]]
	}
	return p.y[p.rightAt[id]]
}

// numberOf returns the number of an item, a new one if it has none yet.
func (p *pairer) numberOf(it any) (id int32, added bool) {
	if len(p.x)+len(p.y) <= quadratic {
		for id := range int32(p.count) {
			if sameItem(p.l, p.first(id), it) {
				return id, false
			}
		}
	} else {
		if p.t.slots == nil {
			p.t = newTable(&p.w.ints, len(p.x)+len(p.y))
			p.fill()
		}
		h := hashItem(&p.t.hashing, p.l, it)
		if p.t.turned() {
			clear(p.t.slots)
			p.fill()
			h = hashItem(&p.t.hashing, p.l, it)
		}
		if id := p.t.find(h, func(id int32) bool { return sameItem(p.l, p.first(id), it) }); id >= 0 {
			return id, false
		}
		p.t.insert(h, int32(p.count))
	}
	p.count++
	return int32(p.count - 1), true
}

// fill puts the numbers so far into the table.
func (p *pairer) fill() {
	p.t.add(p.count, func(i int) (uint64, bool) { return hashItem(&p.t.hashing, p.l, p.first(int32(i))), true })
}
