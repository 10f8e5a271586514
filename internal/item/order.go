// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"encoding/binary"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// The code in this file sorts path elements. To compare texts quickly, it converts a part of each text
// to a number, the rank. This part is the first eight bytes after the common prefix of all texts.
// Integers have ranks, too. Without ranks, building the field set of a long list in random order would
// spend most of its time on text comparisons.

// maxUnranked is the maximum number of elements that SortWithRanks sorts without ranks. For so few
// elements, ranks would not make sorting faster. EachInOrder has no such limit.
const maxUnranked = 32

// ranked is an element to sort, given by its index and its rank. Elements with a lower rank come
// first. If two elements have the same rank, the elements themselves must be compared.
type ranked struct {
	rank uint64
	at   int32
}

// rankSource is the part of an element that determines its rank. The field by says whether this part
// is a text or a number. The zero rankSource means that the element has no rank.
type rankSource struct {
	text   string
	number int64
	by     rankKind
}

type rankKind uint8

const (
	byNothing rankKind = iota
	byTexts
	byNumbers
)

// rankSourceOf returns the rank source of a value.
func rankSourceOf(v any) rankSource {
	switch v := v.(type) {
	case string:
		return rankSource{text: v, by: byTexts}
	case int64:
		return rankSource{number: v, by: byNumbers}
	}
	return rankSource{}
}

// rankSourceOfElement returns the rank source of pe, an element of the list to sort. The second
// argument is the first element of this list. The result is zero if the two elements are of different
// kinds, if their keys start with different fields, or if the value is neither a string nor an int64.
func rankSourceOfElement(pe, first *fieldpath.PathElement) rankSource {
	switch {
	case pe.FieldName != nil && first.FieldName != nil:
		return rankSource{text: *pe.FieldName, by: byTexts}
	case pe.Value != nil && first.Value != nil:
		return rankSourceOf((*pe.Value).Unstructured())
	case pe.Key != nil && first.Key != nil && len(*pe.Key) > 0 && len(*first.Key) > 0 && (*pe.Key)[0].Name == (*first.Key)[0].Name:
		return rankSourceOf((*pe.Key)[0].Value.Unstructured())
	}
	return rankSource{}
}

// sortOrder returns the sorted order of n elements. The function sources returns the rank source of each
// element, from which sortOrder computes the rank. It compares ranks first, and calls compare only for
// equal ranks. Equal elements keep their order. The caller must pop the result from w.ranks.
func (w *Workspace) sortOrder(n int, sources func(i int) rankSource, compare func(i, j int) int) []ranked {
	out := w.ranks.More(n)
	by, shared := commonRankKind(n, sources)
	for i := range out {
		out[i] = ranked{at: int32(i)}
		switch by {
		case byTexts:
			out[i].rank = textRank(sources(i).text[shared:])
		case byNumbers:
			out[i].rank = uint64(sources(i).number) ^ 1<<63
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

// commonRankKind returns the kind that all n rank sources have, or byNothing if their kinds differ.
// If the sources are texts, shared is the length of their common prefix.
func commonRankKind(n int, sources func(i int) rankSource) (by rankKind, shared int) {
	common := sources(0)
	for i := 1; i < n; i++ {
		source := sources(i)
		if source.by != common.by {
			return byNothing, 0
		}
		common.text = common.text[:commonPrefixLen(common.text, source.text)]
	}
	return common.by, len(common.text)
}

// commonPrefixLen returns the length of the longest common prefix of two texts.
func commonPrefixLen(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// textRank returns the first eight bytes of a text as a number.
func textRank(text string) uint64 {
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

// SortWithRanks does the same as slices.SortFunc, and uses ranks to be faster. The function compare
// must order things by their path elements. The function element returns the path element of the
// thing with the given index, from which the rank is computed. If there are at most maxUnranked
// things, equal things may change their order.
func SortWithRanks[T any](w *Workspace, things []T, element func(i int) *fieldpath.PathElement, compare func(a, b T) int) {
	if slices.IsSortedFunc(things, compare) {
		return
	}
	if len(things) <= maxUnranked {
		slices.SortFunc(things, compare)
		return
	}
	mark, first := w.ranks.Len(), element(0)
	permute(things, w.sortOrder(len(things),
		func(i int) rankSource { return rankSourceOfElement(element(i), first) },
		func(i, j int) int { return compare(things[i], things[j]) }))
	w.ranks.Pop(mark)
}

// EachInOrder calls f for each item, in the order of their path elements. duplicate is true if
// the path element of the item compares as equal to the path element of the previous item. The two
// items then have the same identity, or one has a NaN where the other has a NaN or a number. All
// identities must have a value for each key (see AnyWithoutKeyOrDefault).
func (w *Workspace) EachInOrder(ids Identities, f func(i int, duplicate bool)) {
	n := ids.Len()
	if ids.areSorted() {
		for i := range n {
			f(i, i > 0 && ids.compare(i-1, i) == 0)
		}
		return
	}
	mark := w.ranks.Len()
	order := w.sortOrder(n, func(i int) rankSource { return rankSourceOf(ids.At(i)[0]) }, ids.compare)
	for k, r := range order {
		f(int(r.at), k > 0 && order[k-1].rank == r.rank && ids.compare(int(order[k-1].at), int(r.at)) == 0)
	}
	w.ranks.Pop(mark)
}

// permute reorders things according to order, and overwrites order.
func permute[T any](things []T, order []ranked) {
	for start := range order {
		// Move the elements of one cycle. The element that belongs at start moves there first. Its
		// old position is now free, so the element that belongs there moves next, and so on.
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
