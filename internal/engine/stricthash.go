// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"hash/maphash"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// sameItems says whether two lists have the same items, each as often. It takes
// linear time, but for sets within sets, whose items are hashed once for each of
// these.
func (e *equality) sameItems(item *graph.Node, x, y []any) bool {
	ints := e.ints.Len()
	defer e.ints.Pop(ints)
	t := e.tableOf(item, x)
	count := e.ints.Zeros(len(x))
	for _, v := range x {
		count[t.find(v)]++
	}
	for _, v := range y {
		i := t.find(v)
		if i < 0 || count[i] == 0 {
			return false
		}
		count[i]--
	}
	return true
}

// eachLost calls f for the items of x that y has not, once for those that are equal.
func (e *equality) eachLost(item *graph.Node, x, y []any, f func(i int)) {
	i := 0
	for i < len(x) && i < len(y) && e.equal(nil, x[i], y[i]) {
		i++
	}
	if i == len(x) {
		return
	}
	ints := e.ints.Len()
	defer e.ints.Pop(ints)
	there := e.tableOf(item, y)
	var own itemTable
	for ; i < len(x); i++ {
		if there.find(x[i]) >= 0 {
			continue
		}
		if own.items == nil {
			own = e.tableOf(item, x)
		}
		if own.find(x[i]) == int32(i) {
			f(i)
		}
	}
}

// itemTable finds items that are equal. It lives in w.ints.
type itemTable struct {
	table
	e      *equality
	item   *graph.Node
	items  []any
	hashes []int32 // half the hash of each item, so that few are compared in vain
}

func (e *equality) tableOf(item *graph.Node, items []any) itemTable {
	t := itemTable{table: newTable(e.ints, len(items)), e: e, item: item, items: items, hashes: e.ints.Zeros(len(items))}
	for i, v := range items {
		h := e.hash(item, v)
		t.hashes[i] = int32(h >> 32)
		if t.at(h, v) < 0 {
			t.insert(h, int32(i))
		}
	}
	return t
}

// find returns the index of the first item that equals v, -1 if there is none.
func (t *itemTable) find(v any) int32 { return t.at(t.e.hash(t.item, v), v) }

func (t *itemTable) at(h uint64, v any) int32 {
	return t.table.find(h, func(i int32) bool {
		return t.hashes[i] == int32(h>>32) && t.e.equal(t.item, t.items[i], v)
	})
}

// hash is the same for values that are equal.
func (e *equality) hash(n *graph.Node, v any) uint64 {
	switch x := v.(type) {
	case nil:
		return hashMissing
	case string:
		return maphash.String(mapSeed, x)
	case bool:
		return new(hashing).value(hashSeed, x)
	case map[string]any:
		if !e.enter() {
			return hashCompound
		}
		m, sum := mapIn(n), uint64(len(x))
		for name, c := range x {
			var t *graph.Node
			if m != nil {
				t = m.At(name)
			}
			sum += mix(maphash.String(mapSeed, name), e.hash(t, c))
		}
		e.depth--
		return mix(hashCompound, sum)
	case map[any]any:
		if !e.enter() {
			return hashCompound
		}
		m, sum := mapIn(n), uint64(len(x))
		for k, c := range x {
			sum += mix(e.hash(nil, k), e.hash(atKey(m, k), c))
		}
		e.depth--
		return mix(hashCompound, sum)
	case []any:
		if !e.enter() {
			return hashCompound
		}
		h := e.hashItems(listIn(n), x)
		e.depth--
		return h
	}
	if x, ok := numberOf(v); ok {
		return x.hash()
	}
	return hashCompound
}

func (e *equality) hashItems(l *graph.List, x []any) uint64 {
	h, sum := mix(hashCompound, uint64(len(x))), uint64(0)
	var item *graph.Node
	if l != nil {
		item = l.Item
	}
	for _, c := range x {
		one := e.hash(item, c)
		h, sum = mix(h, one), sum+mix(hashSeed, one)
	}
	if e.unordered(l) {
		return mix(hashCompound, sum)
	}
	return h
}
