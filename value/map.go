// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "slices"

// Map is a map of values by name, or a struct seen as one: a field that is
// left out of the serialised form is no entry of the map.
type Map interface {
	// Set gives a key a value. On a struct it panics if the key is no field
	// or the value does not have the type of the field.
	Set(key string, val Value)
	// Get returns the value of a key, or nil and false if there is none.
	Get(key string) (Value, bool)
	// GetUsing is Get.
	//
	// Deprecated: the allocator is ignored; use Get.
	GetUsing(a Allocator, key string) (Value, bool)
	// Has reports whether there is a value for a key.
	Has(key string) bool
	// Delete removes a key. On a struct it panics if the key is no field, or
	// a field that can not be left out.
	Delete(key string)
	// Equals reports whether both maps have the same keys with equal values.
	// MapEquals does for any implementation.
	Equals(other Map) bool
	// EqualsUsing is Equals.
	//
	// Deprecated: the allocator is ignored; use Equals.
	EqualsUsing(a Allocator, other Map) bool
	// Iterate calls a function for every entry, for structs in the order of
	// the keys, otherwise in no particular order, until the function returns
	// false. It reports whether the function never did. The value is valid
	// during the call only.
	Iterate(func(key string, value Value) bool) bool
	// IterateUsing is Iterate.
	//
	// Deprecated: the allocator is ignored; use Iterate.
	IterateUsing(Allocator, func(key string, value Value) bool) bool
	// Length returns the number of entries.
	Length() int
	// Empty reports whether there are no entries.
	Empty() bool
	// Zip calls a function for every key that either map has, with nil for
	// the value of the one that has not, until the function returns false.
	// It reports whether the function never did. The values are valid during
	// the call only.
	Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool
	// ZipUsing is Zip.
	//
	// Deprecated: the allocator is ignored; use Zip.
	ZipUsing(a Allocator, other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool
}

// MapTraverseOrder is the order in which entries of maps are visited.
type MapTraverseOrder int

const (
	// Unordered promises no order.
	Unordered = iota
	// LexicalKeyOrder is by key.
	LexicalKeyOrder
)

// MapZip visits two maps together, like Map.Zip; either may be nil.
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

// zip is Map.Zip for any implementation. lhs is not nil, rhs may be.
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

// MapCompare orders maps lexically as lists of entries sorted by key: the
// first entries that differ decide, by key and then by value; then the map
// with fewer entries comes first. It returns -1, 0 or +1. A nil map is empty.
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
		// Up to here both had the same keys, so i counts for both.
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

// MapEquals reports whether both maps have the same keys with equal values,
// whatever implements them. A nil map equals only a nil map.
func MapEquals(lhs, rhs Map) bool {
	if lhs == nil || rhs == nil {
		return lhs == nil && rhs == nil
	}
	return lhs.Length() == rhs.Length() && rhs.Iterate(func(key string, r Value) bool {
		l, ok := lhs.Get(key)
		return ok && Equals(l, r)
	})
}
