// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Pairing pairs the items of two lists. It gives a number to each identity, so items with the
// same identity have the same number. Numbers start at 0, and increase in the order in which
// identities occur, first in the left list and then in the right list. An item without an
// identity has the number -1.
//
// The slices LeftCount, RightCount, FirstLeft and FirstRight can be longer than NumIdentities.
// The additional elements have no meaning.
type Pairing struct {
	NumIdentities int // number of different identities

	LeftNumber, RightNumber []int32 // for each item: its number
	LeftCount, RightCount   []int32 // for each number: how many items have it
	FirstLeft, FirstRight   []int32 // for each number: the index of the first item that has it; 0 if its count is 0
}

// maxPairwiseItems is the maximum number of items, in both lists together, for which Pair compares
// all pairs. For more items, a hash table is faster.
const maxPairwiseItems = 8

// PairFacts has facts about the two lists of a Pairing that the caller already knows. They make
// Pair faster.
type PairFacts struct {
	LeftUnique      bool // all left items have identities, and no two of them have the same
	RightIdentified bool // all right items have identities
}

// Pair pairs the items of x and y in linear time. A field of known may be true only if the fact holds.
// The zero PairFacts is always correct.
// The result uses w.IntScratch, and Pair may also push a hash table there. Afterwards, the caller must
// pop w.IntScratch to the length that it had before the call.
func (w *Workspace) Pair(l *graph.List, x, y []any, known PairFacts) Pairing {
	n := len(x) + len(y)
	s := w.IntScratch.Zeros(5 * n)
	p := pairer{w: w, l: l, x: x, y: y, Pairing: Pairing{
		LeftNumber: s[:len(x)], RightNumber: s[len(x):n],
		LeftCount: s[n : 2*n], RightCount: s[2*n : 3*n],
		FirstLeft: s[3*n : 4*n], FirstRight: s[4*n : 5*n],
	}}
	p.numberLeft(known.LeftUnique)
	p.numberRight(known.RightIdentified)
	return p.Pairing
}

// pairer computes a Pairing.
type pairer struct {
	Pairing
	w    *Workspace
	l    *graph.List
	x, y []any
	t    data.Table // table of the numbers so far, if there are many items
}

// numberLeft gives numbers to the left items. If unique is true, all left items are known to have
// identities, and all these identities are different.
func (p *pairer) numberLeft(unique bool) {
	if unique {
		for i := range p.x {
			p.LeftNumber[i], p.LeftCount[i], p.FirstLeft[i] = int32(i), 1, int32(i)
		}
		p.NumIdentities = len(p.x)
		return
	}
	for i, it := range p.x {
		if !HasIdentity(p.l, it) {
			p.LeftNumber[i] = -1
			continue
		}
		number, added := p.numberOf(it)
		if added {
			p.FirstLeft[number] = int32(i)
		}
		p.LeftNumber[i] = number
		p.LeftCount[number]++
	}
}

// numberRight gives numbers to the right items. Both lists usually have the same order, so each
// item is first compared with the left item after the previous match. identified is true if every
// right item is known to have an identity.
func (p *pairer) numberRight(identified bool) {
	next := 0 // the index of the left item to compare first
	for j, it := range p.y {
		if !identified && !HasIdentity(p.l, it) {
			p.RightNumber[j] = -1
			continue
		}
		var number int32
		if next < len(p.x) && p.LeftNumber[next] >= 0 && SameIdentity(p.l, p.x[next], it) {
			number = p.LeftNumber[next]
			next++
		} else {
			number, _ = p.numberOf(it)
			if p.LeftCount[number] > 0 {
				next = int(p.FirstLeft[number]) + 1
			}
		}
		if p.RightCount[number] == 0 {
			p.FirstRight[number] = int32(j)
		}
		p.RightNumber[j] = number
		p.RightCount[number]++
	}
}

// firstWithNumber returns the first item with the given number. Left items come before right items.
func (p *pairer) firstWithNumber(number int32) any {
	if p.LeftCount[number] > 0 {
		return p.x[p.FirstLeft[number]]
	}
	return p.y[p.FirstRight[number]]
}

// numberOf returns the number of an item that has an identity. If the identity is new, it gets a new
// number, and added is true. Before the next call, the caller must then set FirstLeft and LeftCount, or
// FirstRight and RightCount.
func (p *pairer) numberOf(it any) (number int32, added bool) {
	if len(p.x)+len(p.y) <= maxPairwiseItems {
		for number := range int32(p.NumIdentities) {
			if SameIdentity(p.l, p.firstWithNumber(number), it) {
				return number, false
			}
		}
	} else {
		if p.t.IsZero() {
			p.t = data.NewTable(&p.w.IntScratch, len(p.x)+len(p.y))
			p.t.Add(p.NumIdentities, p.hash)
		}
		h := hashItem(&p.t.Hashing, p.l, it)
		if p.t.RebuildIfLoose(p.NumIdentities, p.hash) {
			// The first float too large for exact comparison changes how integers are hashed (see
			// data.Hashing). The table was rebuilt, so hash the item again.
			h = hashItem(&p.t.Hashing, p.l, it)
		}
		if number := p.t.Find(h, func(number int32) bool { return SameIdentity(p.l, p.firstWithNumber(number), it) }); number >= 0 {
			return number, false
		}
		p.t.Insert(h, int32(p.NumIdentities))
	}
	p.NumIdentities++
	return int32(p.NumIdentities - 1), true
}

// hash returns the hash of the identity with the given number.
func (p *pairer) hash(number int) (uint64, bool) {
	return hashItem(&p.t.Hashing, p.l, p.firstWithNumber(int32(number))), true
}

// NextDuplicates returns, for each item of a list, the index of the next item with the same
// identity, or 0 if there is none. numbers is p.LeftNumber or p.RightNumber. The caller must
// pop the result from w.IntScratch.
func (w *Workspace) NextDuplicates(p *Pairing, numbers []int32) []int32 {
	next := w.IntScratch.Zeros(len(numbers))
	mark := w.IntScratch.Len()
	after := w.IntScratch.Zeros(p.NumIdentities) // for each number: the index of the nearest item after i that has it
	for i := len(numbers) - 1; i >= 0; i-- {
		if number := numbers[i]; number >= 0 {
			next[i], after[number] = after[number], int32(i)
		}
	}
	w.IntScratch.Pop(mark)
	return next
}

// LastMatches returns a match for each item of x, at the same index: the last item of y with
// the same identity, or nil if there is none.
func (w *Workspace) LastMatches(l *graph.List, x, y []any) []any {
	found := make([]any, len(x))
	if len(y) == 0 {
		return found
	}
	mark := w.IntScratch.Len()
	defer w.IntScratch.Pop(mark)
	p := w.Pair(l, x, y, PairFacts{})
	last := make([]any, p.NumIdentities)
	for j, number := range p.RightNumber {
		if number >= 0 {
			last[number] = y[j]
		}
	}
	for i, number := range p.LeftNumber {
		if number >= 0 {
			found[i] = last[number]
		}
	}
	return found
}

// SameOrder reports whether both lists have their common items in the same order. It returns
// false if one of the lists has duplicates. It ignores items without an identity.
func (p *Pairing) SameOrder() bool {
	last := int32(-1)
	for number := range p.NumIdentities {
		if p.LeftCount[number] > 1 || p.RightCount[number] > 1 {
			return false
		}
		if p.LeftCount[number] == 1 && p.RightCount[number] == 1 {
			if p.FirstRight[number] < last {
				return false
			}
			last = p.FirstRight[number]
		}
	}
	return true
}
