// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Pairing pairs the items of two lists: items with one identity have one
// number, counted from 0 in the order in which identities appear, first in
// the left list, then in the right one. An item without an identity has the
// number -1.
type Pairing struct {
	Left, Right []int32 // item -> number
	Count       int     // how many numbers there are

	Lefts, Rights   []int32 // number -> how many items have it
	LeftAt, RightAt []int32 // number -> index of the first such item
}

// quadratic is the number of identities up to which comparing every pair is
// cheaper than hashing.
const quadratic = 8

// Known is what is known of two lists that are paired.
type Known struct {
	Unique     bool // every left item has an identity, no two the same
	Identified bool // every right item has an identity
}

// Pair pairs x and y in linear time. The result lives in Memory.Ints; the caller
// pops it.
func (w *Memory) Pair(l *graph.List, x, y []any, known Known) Pairing {
	n := len(x) + len(y)
	s := w.Ints.Zeros(5 * n)
	p := pairer{w: w, l: l, x: x, y: y, Pairing: Pairing{
		Left: s[:len(x)], Right: s[len(x):n],
		Lefts: s[n : 2*n], Rights: s[2*n : 3*n],
		LeftAt: s[3*n : 4*n], RightAt: s[4*n : 5*n],
	}}
	p.lay(known.Unique)
	p.pair(known.Identified)
	return p.Pairing
}

// pairer is a pairing in the making.
type pairer struct {
	Pairing
	w    *Memory
	l    *graph.List
	x, y []any
	t    data.Table // of the numbers so far, once there are many to search
}

// lay numbers the left items.
func (p *pairer) lay(unique bool) {
	if unique {
		for i := range p.x {
			p.Left[i], p.Lefts[i], p.LeftAt[i] = int32(i), 1, int32(i)
		}
		p.Count = len(p.x)
		return
	}
	for i, it := range p.x {
		if !Identified(p.l, it) {
			p.Left[i] = -1
			continue
		}
		id, added := p.numberOf(it)
		if added {
			p.LeftAt[id] = int32(i)
		}
		p.Left[i] = id
		p.Lefts[id]++
	}
}

// pair numbers the right items. Most often they are in step with the left ones,
// so what follows the last pair is tried before any search.
func (p *pairer) pair(all bool) {
	step := 0
	for j, it := range p.y {
		if !all && !Identified(p.l, it) {
			p.Right[j] = -1
			continue
		}
		var id int32
		if step < len(p.x) && p.Left[step] >= 0 && Same(p.l, p.x[step], it) {
			id = p.Left[step]
			step++
		} else if id, _ = p.numberOf(it); p.Lefts[id] > 0 {
			step = int(p.LeftAt[id]) + 1
		}
		if p.Rights[id] == 0 {
			p.RightAt[id] = int32(j)
		}
		p.Right[j] = id
		p.Rights[id]++
	}
}

// first returns the first item with a number, to compare others with.
func (p *pairer) first(id int32) any {
	if p.Lefts[id] > 0 {
		return p.x[p.LeftAt[id]]
	}
	return p.y[p.RightAt[id]]
}

// numberOf returns the number of an item, a new one if it has none yet.
func (p *pairer) numberOf(it any) (id int32, added bool) {
	if len(p.x)+len(p.y) <= quadratic {
		for id := range int32(p.Count) {
			if Same(p.l, p.first(id), it) {
				return id, false
			}
		}
	} else {
		if p.t.Slots == nil {
			p.t = data.NewTable(&p.w.Ints, len(p.x)+len(p.y))
			p.fill()
		}
		h := hashItem(&p.t.Hashing, p.l, it)
		if p.t.Turned() {
			clear(p.t.Slots)
			p.fill()
			h = hashItem(&p.t.Hashing, p.l, it)
		}
		if id := p.t.Find(h, func(id int32) bool { return Same(p.l, p.first(id), it) }); id >= 0 {
			return id, false
		}
		p.t.Insert(h, int32(p.Count))
	}
	p.Count++
	return int32(p.Count - 1), true
}

// fill puts the numbers so far into the table.
func (p *pairer) fill() {
	p.t.Add(p.Count, func(i int) (uint64, bool) { return hashItem(&p.t.Hashing, p.l, p.first(int32(i))), true })
}
