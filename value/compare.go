// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/box"
)

// Less reports whether lhs comes before rhs in the order of Compare.
func Less(lhs, rhs Value) bool {
	return Compare(lhs, rhs) < 0
}

// Compare orders two values and returns -1, 0 or +1. Numbers come first, then strings, booleans,
// lists, maps, null and undefined values. Integers and floats are compared as numbers, and lists
// and maps lexicographically. It panics if either value is nil.
//
// If Equals returns true, Compare returns 0. The converse also holds, with two exceptions. For a
// NaN and any number, Compare returns 0, but Equals returns false. For two Go slices, Compare
// compares the items, but Equals uses reflect.DeepEqual.
func Compare(lhs, rhs Value) int {
	if l, ok := lhs.(*valueUnstructured); ok {
		if r, ok := rhs.(*valueUnstructured); ok {
			return CompareUnstructured(l.Value, r.Value)
		}
	}
	l, r := kindOf(lhs), kindOf(rhs)
	switch {
	case l <= intKind && r <= intKind:
		return numberIn(lhs, l).compare(numberIn(rhs, r))
	case l != r:
		return cmp.Compare(l, r)
	}
	switch l {
	case stringKind:
		return strings.Compare(lhs.AsString(), rhs.AsString())
	case boolKind:
		return BoolCompare(lhs.AsBool(), rhs.AsBool())
	case listKind:
		return ListCompare(lhs.AsList(), rhs.AsList())
	case mapKind:
		return MapCompare(lhs.AsMap(), rhs.AsMap())
	}
	return 0
}

// CompareUnstructured returns Compare(NewValueInterface(a), NewValueInterface(b))
// without wrapping the arguments. It does not allocate.
func CompareUnstructured(a, b any) int {
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b)
		}
	case int64:
		if b, ok := b.(int64); ok {
			return IntCompare(a, b)
		}
	case bool:
		if b, ok := b.(bool); ok {
			return BoolCompare(a, b)
		}
	case []any:
		if b, ok := b.([]any); ok {
			if box.SameList(a, b) {
				return 0
			}
			return slices.CompareFunc(a, b, CompareUnstructured)
		}
	case map[string]any, map[any]any:
		if b, ok := anyMapOf(b); ok {
			a, _ := anyMapOf(a)
			return compareMaps(a, b)
		}
	}
	l, r := kindOfUnstructured(a), kindOfUnstructured(b)
	if l <= intKind && r <= intKind {
		return numberOf(a).compare(numberOf(b))
	}
	return cmp.Compare(l, r)
}

// compareMaps orders two maps by the smallest key at which they differ. It searches for that key
// without sorting the keys, so it does not allocate.
func compareMaps(a, b anyMap) int {
	const onlyA, onlyB = 2, 3 // special values of c: the maps differ first at a key that only a has, or that only b has
	at, c := "", 0
	for k, x := range a.all {
		if c != 0 && k >= at {
			continue
		}
		if y, ok := b.get(k); !ok {
			at, c = k, onlyA
		} else if d := CompareUnstructured(x, y); d != 0 {
			at, c = k, d
		}
	}
	for k := range b.all {
		if _, ok := a.get(k); !ok && (c == 0 || k < at) {
			at, c = k, onlyB
		}
	}
	// If c is onlyA or onlyB, only one map has the key at which the maps differ first. If the other map
	// has no later key, the other map is a prefix and comes first. If the other map has a later key,
	// the map with the key comes first.
	switch {
	case c == onlyA && b.hasKeyAfter(at), c == onlyB && !a.hasKeyAfter(at):
		return -1
	case c == onlyA, c == onlyB:
		return 1
	}
	return c
}

// hasKeyAfter reports whether m has a key greater than key.
func (m anyMap) hasKeyAfter(key string) bool {
	for k := range m.all {
		if k > key {
			return true
		}
	}
	return false
}

// FloatCompare returns -1, 0 or +1 if lhs is less than, equal to or greater than rhs.
// It returns 0 if either number is a NaN.
func FloatCompare(lhs, rhs float64) int {
	switch {
	case lhs < rhs:
		return -1
	case lhs > rhs:
		return 1
	}
	return 0
}

// IntCompare returns -1, 0 or +1 if lhs is less than, equal to or greater than rhs.
func IntCompare(lhs, rhs int64) int { return cmp.Compare(lhs, rhs) }

// BoolCompare returns -1, 0 or +1 if lhs is less than, equal to or greater than rhs. false is
// less than true.
func BoolCompare(lhs, rhs bool) int {
	switch {
	case lhs == rhs:
		return 0
	case rhs:
		return -1
	}
	return 1
}
