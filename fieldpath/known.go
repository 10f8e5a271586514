// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/value"
)

// known is a cache of path elements by their FieldsV1 keys. Managed fields consist mostly of a few
// hundred names, so decoded sets can share most of their elements.
//
// Callers must not change the data that an element points to, because this would change all sets
// that share the element. If findKnown detects that the data of an element changed, it removes the
// element from the cache (see the method sound).
//
// The cache has at most knownPlaces keys of at most knownLength bytes, a few megabytes in total. It
// is set-associative: each key has knownWays possible places. A key that occurs only once is not
// cached. When a key first occurs, only some bits of its hash are recorded in met. If the key
// occurs again while that record exists, it may be added, and may replace another element.
var known [knownPlaces]atomic.Pointer[knownElement]

type knownElement struct {
	key     string
	element PathElement
	// The following fields record the data that the path element pointed to when it was added to
	// the cache.
	name   string
	value  value.Value
	fields []value.Field
}

// sound reports whether the element still points to the same data as when it was added.
func (k *knownElement) sound() bool {
	switch {
	case k.element.FieldName != nil:
		return *k.element.FieldName == k.name
	case k.element.Key != nil:
		return slices.Equal(*k.element.Key, k.fields)
	case k.element.Value != nil:
		return *k.element.Value == k.value
	}
	return false
}

const (
	knownPlaces = 1 << 14
	knownWays   = 4
	knownLength = 64
)

// met records keys that have occurred but are not in the cache. A record has some bits of the hash
// of a key.
var met [knownPlaces]atomic.Uint32

var knownSeed = maphash.MakeSeed()

// findKnown returns the cached element for a FieldsV1 key, or nil. It also returns the hash of
// the key, for meet and know.
func findKnown(key string) (e *PathElement, hash uint64) {
	hash = maphash.String(knownSeed, key)
	ways := waysOf(hash)
	for i := range ways {
		if k := ways[i].Load(); k != nil && k.key == key {
			if k.sound() {
				return &k.element, hash
			}
			ways[i].CompareAndSwap(k, nil)
		}
	}
	return nil, hash
}

func waysOf(hash uint64) []atomic.Pointer[knownElement] {
	at := hash % knownPlaces &^ (knownWays - 1)
	return known[at : at+knownWays]
}

// meet records that a key with this hash occurred and is not in the cache. It reports whether
// the caller should add the key to the cache now.
func meet(hash uint64) bool {
	note := uint32(hash>>32) | 1
	at := &met[hash%knownPlaces]
	if old := at.Load(); old != note {
		// Replace an existing record only with some probability. Otherwise two keys that occur
		// alternately would always replace each other's record.
		if old == 0 || rand.Uint32()&1 == 0 {
			at.Store(note)
		}
		return false
	}
	// Add the key only with some probability. A frequent key is still added soon, but a key that
	// occurs only in one document is probably not added. The probability is lower if the key
	// would replace another element, because that element may be just as frequent.
	rare := uint32(8)
	if emptyPlace(waysOf(hash)) == nil {
		rare = 256
	}
	if rand.Uint32()%rare != 0 {
		return false
	}
	at.Store(0)
	return true
}

// know adds an element to the cache under its FieldsV1 key. The arguments key and e must have
// memory of their own. If they referred to the memory of a document, the cache would keep the whole
// document in memory.
func know(hash uint64, key string, e PathElement) {
	ways := waysOf(hash)
	at := emptyPlace(ways)
	if at == nil {
		at = &ways[hash>>32%knownWays]
	}
	k := &knownElement{key: key, element: e}
	switch {
	case e.FieldName != nil:
		k.name = *e.FieldName
	case e.Key != nil:
		k.fields = slices.Clone(*e.Key)
	case e.Value != nil:
		k.value = *e.Value
	}
	at.Store(k)
}

// emptyPlace returns an empty place, or nil if there is none.
func emptyPlace(ways []atomic.Pointer[knownElement]) *atomic.Pointer[knownElement] {
	for i := range ways {
		if ways[i].Load() == nil {
			return &ways[i]
		}
	}
	return nil
}
