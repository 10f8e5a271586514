// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package intern keeps one of each of equal values, for as long as somebody
// else holds it. The package imports nothing of this module.
package intern

import (
	"sync"
	"weak"
)

// Table holds values weakly: a value that nothing else refers to is collected
// as if the table were not there. The zero value is empty. A table is safe for
// concurrent use.
type Table[T any] struct {
	mu     sync.Mutex
	values map[Hash]weak.Pointer[T]
	// sweepAt is the size at which values that are gone are looked for.
	sweepAt int
}

const (
	// maxProbes is how many values a new one may be compared with. Beyond that
	// it is kept out of the table: a bound for hashes that collide.
	maxProbes = 4
	minSweep  = 64
)

// Find returns the value of the table that has that hash and is the same, nil if there is
// none.
func (t *Table[T]) Find(hash Hash, same func(kept *T) bool) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, _, _ := t.find(hash, same)
	return found
}

// Keep returns the value of the table that is the same as v, or v, which is in
// the table from then on. hash must be equal for values that are the same. What
// is in the table must not change.
func (t *Table[T]) Keep(v *T, hash Hash, same func(kept *T) bool) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, place, free := t.find(hash, same)
	if found != nil {
		return found
	}
	if !free {
		return v
	}
	if len(t.values) >= max(t.sweepAt, minSweep) {
		t.sweep()
	}
	if t.values == nil {
		t.values = map[Hash]weak.Pointer[T]{}
	}
	t.values[place] = weak.Make(v)
	return v
}

// find returns the value that is the same, or else a place that is free, if there is one.
func (t *Table[T]) find(hash Hash, same func(kept *T) bool) (found *T, place Hash, free bool) {
	for at := hash; at != hash+maxProbes; at++ {
		kept := t.values[at].Value()
		if kept == nil {
			if !free {
				place, free = at, true
			}
			continue
		}
		if same(kept) {
			return kept, at, false
		}
	}
	return nil, place, free
}

// sweep drops what is gone. It runs when the table has twice the values that
// were left last time, so that its cost is that of adding them.
func (t *Table[T]) sweep() {
	left := make(map[Hash]weak.Pointer[T], len(t.values)/2)
	for at, p := range t.values {
		if p.Value() != nil {
			left[at] = p
		}
	}
	t.values, t.sweepAt = left, 2*len(left)
}

// Len returns how many values the table holds. Those that nothing else refers
// to may still count.
func (t *Table[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.values)
}
