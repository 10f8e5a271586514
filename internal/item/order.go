// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"encoding/binary"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// This file sorts by numbers what would have to be compared as text, which for many
// things in random order takes most of the time that a field set of them takes.

// fewRanked is up to how many things comparing them is as fast.
const fewRanked = 32

// ranked is one of several things that are put in order. The one of the lower rank
// comes first; things of one rank have to be compared.
type ranked struct {
	rank uint64
	at   int32
}

// lead is what decides first between two things: a text, a number, or something
// else that has no rank.
type lead struct {
	text   string
	number int64
	by     leadKind
}

type leadKind uint8

const (
	byNothing leadKind = iota
	byTexts
	byNumbers
)

func leadOf(v any) lead {
	switch v := v.(type) {
	case string:
		return lead{text: v, by: byTexts}
	case int64:
		return lead{number: v, by: byNumbers}
	}
	return lead{}
}

// leadOfElement is leadOf for elements that are compared with each other and with
// another one of them. Keys decide by their first field, so they all need that one.
func leadOfElement(pe, other *fieldpath.PathElement) lead {
	switch {
	case pe.FieldName != nil && other.FieldName != nil:
		return lead{text: *pe.FieldName, by: byTexts}
	case pe.Value != nil && other.Value != nil:
		return leadOf((*pe.Value).Unstructured())
	case pe.Key != nil && other.Key != nil && len(*pe.Key) > 0 && len(*other.Key) > 0 && (*pe.Key)[0].Name == (*other.Key)[0].Name:
		return leadOf((*pe.Key)[0].Value.Unstructured())
	}
	return lead{}
}

// sorted puts n things in order: leads says what decides first between them,
// compare what decides in all. Things that are equal stay in the order they are in.
// The result lives in w.ranks.
func (w *Memory) sorted(n int, leads func(i int) lead, compare func(i, j int) int) []ranked {
	out := w.ranks.More(n)
	by, shared := leadsAlike(n, leads)
	for i := range out {
		out[i] = ranked{at: int32(i)}
		switch by {
		case byTexts:
			out[i].rank = textRank(leads(i).text[shared:])
		case byNumbers:
			out[i].rank = uint64(leads(i).number) ^ 1<<63
		}
	}
	slices.SortFunc(out, func(a, b ranked) int {
		switch {
		case a.rank < b.rank:
			return -1
		case a.rank > b.rank:
			return 1
		}
		if c := compare(int(a.at), int(b.at)); c != 0 {
			return c
		}
		return int(a.at - b.at)
	})
	return out
}

// leadsAlike returns what decides first between n things, byNothing if it is not the
// same for all, and how much of the texts they all begin with.
func leadsAlike(n int, leads func(i int) lead) (by leadKind, shared int) {
	begin := leads(0)
	for i := 1; i < n; i++ {
		f := leads(i)
		if f.by != begin.by {
			return byNothing, 0
		}
		begin.text = begin.text[:sharedPrefix(begin.text, f.text)]
	}
	return begin.by, len(begin.text)
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// textRank is the first eight bytes of a text, as a number.
func textRank(text string) uint64 {
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

// Sort puts things in the order that compare gives, which is that of their elements.
func Sort[T any](m *Memory, things []T, element func(i int) *fieldpath.PathElement, compare func(a, b T) int) {
	if slices.IsSortedFunc(things, compare) {
		return
	}
	if len(things) <= fewRanked {
		slices.SortFunc(things, compare)
		return
	}
	mark, first := m.ranks.Len(), element(0)
	permute(things, m.sorted(len(things),
		func(i int) lead { return leadOfElement(element(i), first) },
		func(i, j int) int { return compare(things[i], things[j]) }))
	m.ranks.Pop(mark)
}

// InOrder calls f for the first n items of those that have these identities, of which
// none lacks a key, in the order of their elements. again says whether an item shares the
// identity of the one before.
func (m *Memory) InOrder(ids Identities, n int, f func(i int, again bool)) {
	if ids.inOrder(n) {
		for i := range n {
			f(i, i > 0 && ids.compare(i-1, i) == 0)
		}
		return
	}
	mark := m.ranks.Len()
	order := m.sorted(n, func(i int) lead { return leadOf(ids.Of(i)[0]) }, ids.compare)
	for k, r := range order {
		f(int(r.at), k > 0 && order[k-1].rank == r.rank && ids.compare(int(order[k-1].at), int(r.at)) == 0)
	}
	m.ranks.Pop(mark)
}

// permute puts things in an order that is no longer needed then.
func permute[T any](things []T, order []ranked) {
	for start := range order {
		// What belongs to start is moved there, what belongs to where that was is
		// moved there, and so on.
		moved, to := things[start], start
		for int(order[to].at) != to {
			from := int(order[to].at)
			order[to].at = int32(to)
			if from == start {
				things[to] = moved
				break
			}
			things[to] = things[from]
			to = from
		}
	}
}
