// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"math/bits"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Who applies what he applied last time owns what he owned. The set builder
// compares what it finds with the old set and takes from it what is the same, so
// that an apply which changes nothing builds nothing.

// fieldsAre says whether like has just these declared fields as members and
// children, the latter as they were found since the mark.
func (b *setBuilder) fieldsAre(m *graph.Map, members, children uint64, found int, like *fieldpath.Set) bool {
	ms, cs := like.Members.Sorted(), like.Children.Sorted()
	if len(cs) != b.found.Len()-found || len(ms) != bits.OnesCount64(members) {
		return false
	}
	for i := range cs {
		if cs[i].Set != b.found.S[found+i].set || !isField(&cs[i].PathElement, m, children) {
			return false
		}
		children &= children - 1
	}
	for i := range ms {
		if !isField(&ms[i], m, members) {
			return false
		}
		members &= members - 1
	}
	return true
}

// isField says whether pe is the first of the fields.
func isField(pe *fieldpath.PathElement, m *graph.Map, fields uint64) bool {
	return pe.FieldName != nil && *pe.FieldName == m.Fields[bits.TrailingZeros64(fields)].Name
}

// entriesAre is fieldsAre for entries.
func (b *setBuilder) entriesAre(entries []entry, found int, like *fieldpath.Set) bool {
	ms, cs := like.Members.Sorted(), like.Children.Sorted()
	if len(cs) != b.found.Len()-found || len(ms)+len(cs) == 0 {
		return false
	}
	for i := range entries {
		e := &entries[i]
		if e.member {
			if len(ms) == 0 || !sameElement(&ms[0], &e.pe) {
				return false
			}
			ms = ms[1:]
		}
		if e.child {
			if cs[0].Set != b.found.S[found].set || !sameElement(&cs[0].PathElement, &e.pe) {
				return false
			}
			cs = cs[1:]
			found++
		}
	}
	return len(ms) == 0
}

// hasNames says whether the members of a set are the fields of a map, and nothing
// else is in it.
func hasNames(set *fieldpath.Set, x map[string]any) bool {
	ms := set.Members.Sorted()
	if len(ms) != len(x) || len(ms) == 0 || len(set.Children.Sorted()) > 0 {
		return false
	}
	for i := range ms {
		name := ms[i].FieldName
		if name == nil {
			return false
		}
		if _, ok := x[*name]; !ok {
			return false
		}
	}
	return true
}

// itemsLike pushes the items of a list under the elements of like, and in its
// order, if like has just these items as members, and they print alike. Every
// element then names an item of its own, so no two items share one.
func (b *setBuilder) itemsLike(l *graph.List, x []any, like *fieldpath.Set) bool {
	if l.Relation != graph.Associative || like.Members.Size() != len(x) {
		return false
	}
	w := b.w
	start, ints, keys := w.entries.Len(), w.ints.Len(), w.keys.Len()
	defer w.ints.Pop(ints)
	defer w.keys.Pop(keys)
	ids, n := w.identities(l, x)
	if n < len(x) {
		return false
	}
	ix := identityIndex{w: &w.memory, l: l, identities: ids, n: n}
	elements := like.Members.Sorted()
	for i := range elements {
		at := ix.find(&elements[i])
		if at < 0 {
			w.entries.Pop(start)
			return false
		}
		w.entries.Push(entry{pe: elements[i], at: int32(at), v: x[at]})
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
	return identical(stored, v)
}

// identityIndex finds the items of a list by the elements that name them exactly.
type identityIndex struct {
	identities
	w    *memory
	l    *graph.List
	n    int
	next int   // most often the order is the same
	t    table // once there are many to search
}

// find returns the index of an item that pe names, -1 if there is none.
func (ix *identityIndex) find(pe *fieldpath.PathElement) int {
	at := ix.next
	if at >= ix.n || !ix.named(pe, at) {
		at = ix.search(pe)
	}
	ix.next = at + 1
	return at
}

func (ix *identityIndex) search(pe *fieldpath.PathElement) int {
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

func (ix *identityIndex) fill() {
	ix.t.add(ix.n, func(i int) (uint64, bool) { return ix.hash(&ix.t.hashing, i), true })
}

// named says whether pe is the element that names item i.
func (ix *identityIndex) named(pe *fieldpath.PathElement, i int) bool {
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
