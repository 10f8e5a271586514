// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "slices"

// Map maps names to values. A struct is also a Map: its entries are the fields that
// serialisation does not omit.
type Map interface {
	// Set sets the value of a key. On a struct, it panics if there is no such field, or if val
	// does not have the type of the field.
	Set(key string, val Value)
	// Get returns the value of a key and true. If the map does not have the key, it
	// returns nil and false.
	Get(key string) (Value, bool)
	// GetUsing does the same as Get.
	//
	// Deprecated: the allocator is ignored; use Get.
	GetUsing(a Allocator, key string) (Value, bool)
	// Has reports whether the map has the key.
	Has(key string) bool
	// Delete removes a key. On a struct, it panics if there is no such field. It also panics if
	// the field is not a pointer and has no omitempty.
	Delete(key string)
	// Equals reports whether both maps have the same keys with equal values.
	// An implementation can call MapEquals.
	Equals(other Map) bool
	// EqualsUsing does the same as Equals.
	//
	// Deprecated: the allocator is ignored; use Equals.
	EqualsUsing(a Allocator, other Map) bool
	// Iterate calls a function for each entry. If the function returns false, Iterate stops and returns
	// false. Otherwise, it returns true. The entries of a struct are visited in the order of their
	// keys. For other maps, the order is unspecified. A value is valid only until the function returns.
	Iterate(func(key string, value Value) bool) bool
	// IterateUsing does the same as Iterate.
	//
	// Deprecated: the allocator is ignored; use Iterate.
	IterateUsing(Allocator, func(key string, value Value) bool) bool
	// Length returns the number of entries.
	Length() int
	// Empty reports whether there are no entries.
	Empty() bool
	// Zip calls fn for each key that is in at least one of the maps. If fn returns false, Zip stops and
	// returns false. Otherwise, it returns true. If only one map has the key, the value for the other
	// map is nil. The values are valid only until fn returns.
	Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool
	// ZipUsing does the same as Zip.
	//
	// Deprecated: the allocator is ignored; use Zip.
	ZipUsing(a Allocator, other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool
}

// MapTraverseOrder is the order in which entries of maps are visited.
type MapTraverseOrder int

const (
	// Unordered visits entries in an unspecified order.
	Unordered = iota
	// LexicalKeyOrder visits entries sorted by key.
	LexicalKeyOrder
)

// MapZip iterates over two maps together, like Map.Zip. It treats a nil map as an empty map.
func MapZip(lhs, rhs Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	if lhs != nil {
		return lhs.Zip(rhs, order, fn)
	}
	if rhs != nil {
		return rhs.Zip(nil, order, func(key string, r, l Value) bool {
			return fn(key, l, r)
		})
	}
	return true
}

var noEntries Map = plainMap[string](nil)

// zip implements Map.Zip for any implementation of Map. rhs may be nil.
func zip(lhs, rhs Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	if rhs == nil {
		rhs = noEntries
	}
	switch order {
	case Unordered:
		return lhs.Iterate(func(key string, l Value) bool {
			r, _ := rhs.Get(key)
			return fn(key, l, r)
		}) && rhs.Iterate(func(key string, r Value) bool {
			return lhs.Has(key) || fn(key, nil, r)
		})
	case LexicalKeyOrder:
		return zipSorted(lhs, rhs, fn)
	}
	panic("Unsupported map order")
}

func zipSorted(lhs, rhs Map, fn func(key string, lhs, rhs Value) bool) bool {
	keys := make([]string, 0, lhs.Length())
	for _, m := range []Map{lhs, rhs} {
		m.Iterate(func(key string, _ Value) bool {
			keys = append(keys, key)
			return true
		})
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		l, _ := lhs.Get(key)
		r, _ := rhs.Get(key)
		if !fn(key, l, r) {
			return false
		}
	}
	return true
}

// MapLess reports whether lhs comes before rhs in the order of MapCompare.
func MapLess(lhs, rhs Map) bool {
	return MapCompare(lhs, rhs) < 0
}

// MapCompare orders maps lexicographically, as lists of entries sorted by key, and returns -1, 0
// or +1. The first pair of entries that differ decides the order, by key and then by value. If
// one map is a prefix of the other, the prefix comes first. A nil map counts as empty.
func MapCompare(lhs, rhs Map) int {
	if lhs == nil {
		lhs = noEntries
	}
	if rhs == nil {
		rhs = noEntries
	}
	left, right := lhs.Length(), rhs.Length()
	c, i := 0, 0
	lhs.Zip(rhs, LexicalKeyOrder, func(_ string, l, r Value) bool {
		// Both maps have all earlier keys, so the current key is in entry i of each map that has the key.
		switch {
		case i == left:
			c = -1
		case i == right, l == nil:
			c = 1
		case r == nil:
			c = -1
		default:
			c = Compare(l, r)
		}
		i++
		return c == 0
	})
	return c
}

// MapEquals reports whether both maps have the same keys with equal values. The maps may have
// different implementations. A nil map equals only a nil map.
func MapEquals(lhs, rhs Map) bool {
	if lhs == nil || rhs == nil {
		return lhs == nil && rhs == nil
	}
	return lhs.Length() == rhs.Length() && rhs.Iterate(func(key string, r Value) bool {
		l, ok := lhs.Get(key)
		return ok && Equals(l, r)
	})
}
