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

// known are elements that the documents of this process have had time and
// again, by the keys they have there. Decoded sets share them: most of what
// managed fields are made of are a few hundred names. Nobody is to write to what an
// element points at, as to no element of a set that was made of another. Who does
// changes the sets that share it, but no later one: an element that is not what it was
// any more is not handed out again.
//
// An element is found in one of knownWays places. One that is not there is noted; if it
// comes again while it is, it becomes known, which may push out another. So what
// occurs once is not kept, and what is kept is bounded: knownPlaces keys of at
// most knownLength bytes, which is a few megabytes at the very most.
var known [knownPlaces]atomic.Pointer[knownElement]

type knownElement struct {
	key     string
	element PathElement
	// What element pointed at when it came.
	name   string
	value  value.Value
	fields []value.Field
}

// sound says whether the element is what it was.
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

// met are parts of the hashes of elements that were met and not known.
var met [knownPlaces]atomic.Uint32

var knownSeed = maphash.MakeSeed()

// findKnown returns the element that a key stands for, nil if it is not known.
// The hash is for meet.
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

// meet notes a key that is not known, and reports whether to know it from now
// on.
func meet(hash uint64) bool {
	note := uint32(hash>>32) | 1
	at := &met[hash%knownPlaces]
	if old := at.Load(); old != note {
		// Two elements that come in turns would never be met again if each
		// took the other's place.
		if old == 0 || rand.Uint32()&1 == 0 {
			at.Store(note)
		}
		return false
	}
	// One that comes often will get there; one that is in a single document
	// several times is not worth the work, and less so if another must go for it,
	// which may come as often.
	rare := uint32(8)
	if free(waysOf(hash)) == nil {
		rare = 256
	}
	if rand.Uint32()%rare != 0 {
		return false
	}
	at.Store(0)
	return true
}

// know keeps an element. Neither the key nor the element may refer to memory
// that is not to be kept.
func know(hash uint64, key string, e PathElement) {
	ways := waysOf(hash)
	at := free(ways)
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

// free returns a place where nothing is, nil if there is none.
func free(ways []atomic.Pointer[knownElement]) *atomic.Pointer[knownElement] {
	for i := range ways {
		if ways[i].Load() == nil {
			return &ways[i]
		}
	}
	return nil
}
