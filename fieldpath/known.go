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

// known caches path elements by their FieldsV1 keys. It has keys that occurred repeatedly in
// the documents that this process decoded. Managed fields consist mostly of a few hundred
// names, so decoded sets share these elements. Callers must not change the data that an
// element points to. A change would affect all sets that share the element, but not sets that
// are decoded later: the method sound detects the change, and the element is removed from the
// cache.
//
// The cache is set-associative: an element can be in one of knownWays places. When a key
// occurs for the first time, only part of its hash is recorded in met. If it occurs again
// while that record exists, it may be added to the cache, and may replace another element. So
// a key that occurs only once is not cached. The cache has at most knownPlaces keys of at
// most knownLength bytes, a few megabytes in total.
var known [knownPlaces]atomic.Pointer[knownElement]

type knownElement struct {
	key     string
	element PathElement
	// These fields record the data that the path element pointed to when it was added
	// to the cache.
	name   string
	value  value.Value
	fields []value.Field
}

// sound reports whether the element still points to the data that it had when it was added.
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

// met records hashes of keys that occurred and are not in the cache. Each record is part of a
// hash.
var met [knownPlaces]atomic.Uint32

var knownSeed = maphash.MakeSeed()

// findKnown returns the cached element for a FieldsV1 key, or nil. It also returns the hash
// of the key. Pass this hash to meet and know.
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
		// Replace an older record only with some probability. Otherwise two keys that occur
		// alternately would always replace each other.
		if old == 0 || rand.Uint32()&1 == 0 {
			at.Store(note)
		}
		return false
	}
	// Add the key only with some probability. A frequent key is then added soon, and a key
	// that occurs only in one document is probably not added. The probability is lower if
	// another element must be removed, because that element may be as frequent.
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

// know adds an element to the cache under its FieldsV1 key. Neither key nor e may refer
// to larger memory, such as the whole document, because the cache would keep that
// memory.
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
