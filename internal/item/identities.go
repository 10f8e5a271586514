// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// Identities has the identities of the items of a list. In a set, an identity has one value, which
// is the item itself. In a list with keys, an identity has one value for each key.
type Identities struct {
	values []any
	width  int // number of values in one identity
}

// noKey replaces the value of a key in an identity, if the item lacks the key and the key has no
// default.
var noKey any = new(struct{ _ byte })

// PushIdentities pushes the identities of the items onto w.ValueScratch, and stops at the first item
// without an identity. n is the number of identities. Afterwards, the caller must pop w.ValueScratch to
// the length that it had before the call.
func (w *Workspace) PushIdentities(l *graph.List, x []any) (ids Identities, n int) {
	mark := w.ValueScratch.Len()
	width := max(1, len(l.Keys))
	w.ValueScratch.Room(len(x) * width)
	for ; n < len(x); n++ {
		if !w.pushIdentity(l, x[n]) {
			w.ValueScratch.Pop(mark + n*width)
			break
		}
	}
	return Identities{w.ValueScratch.S[mark:], width}, n
}

// pushIdentity pushes the identity of item onto w.ValueScratch. It returns false if the item has no
// identity. In both cases, the caller must pop the pushed values.
func (w *Workspace) pushIdentity(l *graph.List, item any) bool {
	if len(l.Keys) == 0 {
		w.ValueScratch.Push(item)
		return HasIdentity(l, item)
	}
	m, ok := item.(map[string]any)
	if !ok {
		m = data.AsMap(item)
	}
	found := 0
	for i := range l.Keys {
		v, ok := KeyValue(m, &l.Keys[i])
		if ok {
			found++
		} else {
			v = noKey
		}
		w.ValueScratch.Push(v)
	}
	return m != nil && found == len(l.Keys) || HasIdentity(l, item) // the first condition only saves time
}

// HasDuplicates reports whether two of the given identities are the same.
func (w *Workspace) HasDuplicates(ids Identities) bool {
	n := ids.Len()
	if n <= maxPairwiseIdentities {
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
	mark := w.IntScratch.Len()
	defer w.IntScratch.Pop(mark)
	t := data.NewTable(&w.IntScratch, n)
	for j := 0; j < n; j++ {
		h := ids.hash(&t.Hashing, j)
		if t.BecameLoose() {
			// The first float too large for exact comparison changes how integers are hashed (see
			// data.Hashing). So start again with an empty table. There are no duplicates so far.
			t.Clear()
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

// anyTwice reports whether two of the values are equal. It compares all pairs, so there must
// be few values.
func anyTwice(values []any) bool {
	for j, v := range values {
		s, text := v.(string)
		for _, u := range values[:j] {
			if t, ok := u.(string); ok {
				if text && s == t {
					return true
				}
			} else if sameIdentityValue(u, v) {
				return true
			}
		}
	}
	return false
}

// maxPairwiseIdentities is the maximum number of identities for which HasDuplicates compares all
// pairs. For more identities, a hash table is faster.
const maxPairwiseIdentities = 16

// Len returns the number of identities.
func (ids Identities) Len() int { return len(ids.values) / ids.width }

// At returns the identity of item i.
func (ids Identities) At(i int) []any { return ids.values[i*ids.width:][:ids.width] }

// same reports whether two items have the same identity.
func (ids Identities) same(i, j int) bool {
	x, y := ids.At(i), ids.At(j)
	for k := range x {
		if !sameIdentityValue(x[k], y[k]) {
			return false
		}
	}
	return true
}

// sameIdentityValue reports whether two values in identities are the same: they are equal, or both are
// noKey. A NaN equals no value, not even itself.
func sameIdentityValue(a, b any) bool {
	if s, ok := a.(string); ok {
		t, ok := b.(string)
		return ok && s == t
	}
	if a == noKey || b == noKey {
		return a == b
	}
	return value.EqualUnstructured(a, b)
}

// hash returns the hash of the identity of item i.
func (ids Identities) hash(g *data.Hashing, i int) uint64 {
	h := data.HashSeed
	for _, v := range ids.At(i) {
		switch {
		case v == noKey:
			h = data.Mix(h, data.HashMissing)
		case data.IsNaN(v):
			h = data.Mix(h, uint64(i)) // a NaN equals no other key
		default:
			h = g.Value(h, v)
		}
	}
	return h
}

// compare orders two identities as PathElement.Compare orders their path elements. Both identities must
// have a value for each key (see AnyWithoutKeyOrDefault).
func (ids Identities) compare(i, j int) int {
	x, y := ids.At(i), ids.At(j)
	for k := range x {
		if c := value.CompareUnstructured(x[k], y[k]); c != 0 {
			return c
		}
	}
	return 0
}

// areSorted reports whether the items are in the order of their path elements.
func (ids Identities) areSorted() bool {
	for i := 1; i < ids.Len(); i++ {
		if ids.compare(i-1, i) > 0 {
			return false
		}
	}
	return true
}

// AnyWithoutKeyOrDefault reports whether any item has neither a value nor a default for a key.
func (ids Identities) AnyWithoutKeyOrDefault() bool { return slices.Contains(ids.values, noKey) }
