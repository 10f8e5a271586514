// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package intern shares equal values. A [Table] has one instance of each value, as long as other
// code refers to that instance. The package imports no other package of this module.
package intern

import (
	"sync"
	"weak"
)

// Table is a set of values. It has weak pointers to the values, so the garbage collector can
// free a value that nothing else refers to. The zero Table is empty. A Table is safe for
// concurrent use.
type Table[T any] struct {
	mu     sync.Mutex
	values map[Hash]weak.Pointer[T]
	// sweepAt is the size of the table at which sweep removes entries of freed values.
	sweepAt int
}

const (
	// maxProbes is the maximum number of values with which a new value is compared. If the table
	// already has that many other values with nearly the same hash, the new value is not added. So
	// equal hashes cannot slow the table down.
	maxProbes = 4
	minSweep  = 64
)

// Find returns the value with the given hash for which same returns true, or nil if the table
// has no such value.
func (t *Table[T]) Find(hash Hash, same func(kept *T) bool) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, _, _ := t.find(hash, same)
	return found
}

// Keep returns a value in the table that is the same as v, according to the function same. If there
// is none, it returns v itself, and usually adds v to the table. Values that are the same must have
// the same hash. Values in the table must not change.
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

// find returns the value with the given hash for which same returns true. If the table has no such
// value, find returns a free place for it. The result free is false if there is no free place.
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

// sweep removes the entries of values that the garbage collector has freed. It runs when the
// table has doubled in size since the last sweep, so its amortized cost for each added value is
// constant.
func (t *Table[T]) sweep() {
	left := make(map[Hash]weak.Pointer[T], len(t.values)/2)
	for at, p := range t.values {
		if p.Value() != nil {
			left[at] = p
		}
	}
	t.values, t.sweepAt = left, 2*len(left)
}

// Len returns the number of values in the table. This may include values that no other code
// refers to any more.
func (t *Table[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.values)
}
