// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"cmp"
	"strings"
)

// Less reports whether lhs comes before rhs in the order of Compare.
func Less(lhs, rhs Value) bool {
	return Compare(lhs, rhs) < 0
}

// Compare is a total order of values and returns -1, 0 or +1. Numbers come
// before strings, then booleans, lists, maps, null and undefined values. Ints
// and floats compare by magnitude, lists and maps lexically. It panics if
// either value is nil.
//
// Compare is 0 where Equals is true. The reverse has one exception: a NaN
// equals nothing and compares as 0 with every number.
func Compare(lhs, rhs Value) int {
	if l, ok := lhs.(*valueUnstructured); ok {
		if r, ok := rhs.(*valueUnstructured); ok {
			return compare(l.Value, r.Value)
		}
	}
	l, r := kindOf(lhs), kindOf(rhs)
	if l != r {
		if l > intKind || r > intKind {
			return compareKinds(l, r)
		}
		return FloatCompare(magnitude(lhs, l), magnitude(rhs, r))
	}
	switch l {
	case floatKind:
		return FloatCompare(lhs.AsFloat(), rhs.AsFloat())
	case intKind:
		return IntCompare(lhs.AsInt(), rhs.AsInt())
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

// CompareUnstructured is Compare of NewValueInterface(a) and
// NewValueInterface(b), without making values of them. It does not allocate.
func CompareUnstructured(a, b any) int {
	return compare(a, b)
}

func compareKinds(l, r kind) int {
	return IntCompare(int64(l), int64(r))
}

func compare(a, b any) int {
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
			return compareLists(a, b)
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
	return compareKinds(l, r)
}

func compareLists(a, b []any) int {
	if len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] {
		return 0
	}
	for i := 0; i < len(a) && i < len(b); i++ {
		if c := compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return IntCompare(int64(len(a)), int64(len(b)))
}

// difference is the entry that decides between two maps: the one with the
// smallest key among those that differ. Sorting the keys would find it as
// well, but takes memory.
type difference struct {
	key   string
	c     int // of the values, if both maps have the key
	found bool
	// left and right say which map has the key.
	left, right bool
}

// before reports whether a difference at key would come before d.
func (d *difference) before(key string) bool {
	return !d.found || key < d.key
}

// order returns the order of two maps with these lengths that first differ at
// d; smaller is the number of their common keys before d.
func (d *difference) order(left, right, smaller int) int {
	switch {
	case d.left && d.right:
		return d.c
	case d.left && smaller == right, d.right && smaller < left:
		return 1
	}
	return -1
}

func compareMaps(a, b anyMap) int {
	var d difference
	for k, x := range a.all {
		if !d.before(k) {
			continue
		}
		y, ok := b.get(k)
		if !ok {
			d = difference{key: k, found: true, left: true}
		} else if c := compare(x, y); c != 0 {
			d = difference{key: k, found: true, left: true, right: true, c: c}
		}
	}
	for k := range b.all {
		if !d.before(k) {
			continue
		}
		if _, ok := a.get(k); !ok {
			d = difference{key: k, found: true, right: true}
		}
	}
	if !d.found {
		return 0
	}
	smaller := 0
	for k := range a.all {
		if k < d.key {
			smaller++
		}
	}
	return d.order(a.len(), b.len(), smaller)
}

// FloatCompare returns -1, 0 or +1 as lhs is less than, equal to or greater
// than rhs. A NaN is neither less nor greater than anything, so it gives 0.
func FloatCompare(lhs, rhs float64) int {
	switch {
	case lhs < rhs:
		return -1
	case lhs > rhs:
		return 1
	}
	return 0
}

// IntCompare returns -1, 0 or +1 as lhs is less than, equal to or greater
// than rhs.
func IntCompare(lhs, rhs int64) int { return cmp.Compare(lhs, rhs) }

// BoolCompare returns -1, 0 or +1 as lhs is less than, equal to or greater
// than rhs; false is less than true.
func BoolCompare(lhs, rhs bool) int {
	switch {
	case lhs == rhs:
		return 0
	case rhs:
		return -1
	}
	return 1
}
