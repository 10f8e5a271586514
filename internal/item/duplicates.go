// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// Identities are what tells the items of a list apart: one value for each item
// of a set, one for each key of each item otherwise. They are read from the
// items once.
type Identities struct {
	values []any
	width  int // values for each item
}

// absent stands for a key that an item does not have.
var absent any = new(struct{ _ byte })

// Identities pushes those of the items in front of the first that has none, and
// returns how many items that are. The caller pops them off Memory.Keys.
func (w *Memory) Identities(l *graph.List, x []any) (ids Identities, n int) {
	mark := w.Keys.Len()
	width := max(1, len(l.Keys))
	w.Keys.Room(len(x) * width)
	for ; n < len(x); n++ {
		if !w.identity(l, x[n]) {
			w.Keys.Pop(mark + n*width)
			break
		}
	}
	return Identities{w.Keys.S[mark:], width}, n
}

// identity pushes what identifies item, and says whether it is identified.
func (w *Memory) identity(l *graph.List, item any) bool {
	if len(l.Keys) == 0 {
		w.Keys.Push(item)
		return Identified(l, item)
	}
	m, ok := item.(map[string]any)
	if !ok {
		m = data.AsMap(item)
	}
	found := 0
	for i := range l.Keys {
		v, ok := KeyOf(m, &l.Keys[i])
		if ok {
			found++
		} else {
			v = absent
		}
		w.Keys.Push(v)
	}
	return m != nil && found == len(l.Keys) || Identified(l, item)
}

// Duplicates says whether two items have one identity.
func (w *Memory) Duplicates(ids Identities) bool {
	n := len(ids.values) / ids.width
	if n <= fewIdentities {
		if ids.width == 1 {
			return anyTwice(ids.values)
		}
		for j := 1; j < n; j++ {
			for i := range j {
				if ids.same(i, j) {
					return true
				}
			}
		}
		return false
	}
	mark := w.Ints.Len()
	defer w.Ints.Pop(mark)
	t := data.NewTable(&w.Ints, n)
	for j := 0; j < n; j++ {
		h := ids.hash(&t.Hashing, j)
		if t.BecameLoose() {
			// So far there was none.
			clear(t.Slots)
			j = -1
			continue
		}
		if t.Find(h, func(i int32) bool { return ids.same(int(i), j) }) >= 0 {
			return true
		}
		t.Insert(h, int32(j))
	}
	return false
}

// anyTwice says whether one of a few values is there twice.
func anyTwice(values []any) bool {
	for j, v := range values {
		s, text := v.(string)
		for _, u := range values[:j] {
			if t, ok := u.(string); ok {
				if text && s == t {
					return true
				}
			} else if sameKey(u, v) {
				return true
			}
		}
	}
	return false
}

// fewIdentities is up to how many are compared in pairs.
const fewIdentities = 16

func (ids Identities) Of(i int) []any { return ids.values[i*ids.width:][:ids.width] }

func (ids Identities) same(i, j int) bool {
	x, y := ids.Of(i), ids.Of(j)
	for k := range x {
		if !sameKey(x[k], y[k]) {
			return false
		}
	}
	return true
}

func sameKey(a, b any) bool {
	if s, ok := a.(string); ok {
		t, ok := b.(string)
		return ok && s == t
	}
	if a == absent || b == absent {
		return a == b
	}
	return value.EqualUnstructured(a, b)
}

func (ids Identities) hash(g *data.Hashing, i int) uint64 {
	h := data.HashSeed
	for _, v := range ids.Of(i) {
		switch {
		case v == absent:
			h = data.Mix(h, data.HashMissing)
		case data.IsNaN(v):
			h = data.Mix(h, uint64(i)) // It is no other's.
		default:
			h = g.Value(h, v)
		}
	}
	return h
}

// compare orders two items of which none lacks a key, as their elements are.
func (ids Identities) compare(i, j int) int {
	x, y := ids.Of(i), ids.Of(j)
	for k := range x {
		if c := value.CompareUnstructured(x[k], y[k]); c != 0 {
			return c
		}
	}
	return 0
}

// inOrder says whether items are in the order of their elements.
func (ids Identities) inOrder(n int) bool {
	for i := 1; i < n; i++ {
		if ids.compare(i-1, i) > 0 {
			return false
		}
	}
	return true
}

// Lack says whether an item lacks a key.
func (ids Identities) Lack() bool { return slices.Contains(ids.values, absent) }
