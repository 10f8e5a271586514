// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

// List is a list of values.
type List interface {
	// Length returns the number of items.
	Length() int
	// At returns the item at the given index. It panics if the index is out of range.
	At(int) Value
	// AtUsing does the same as At.
	//
	// Deprecated: the allocator is ignored; use At.
	AtUsing(Allocator, int) Value
	// Range returns an iterator placed before the first item.
	Range() ListRange
	// RangeUsing does the same as Range.
	//
	// Deprecated: the allocator is ignored; use Range.
	RangeUsing(Allocator) ListRange
	// Equals reports whether both lists have equal items in the same order.
	// An implementation can call ListEquals.
	Equals(List) bool
	// EqualsUsing does the same as Equals.
	//
	// Deprecated: the allocator is ignored; use Equals.
	EqualsUsing(Allocator, List) bool
}

// ListRange iterates once over the items of a list:
//
//	for r := list.Range(); r.Next(); {
//		i, item := r.Item()
//	}
type ListRange interface {
	// Next moves to the next item and reports whether there is one.
	Next() bool
	// Item returns the current item and its index. It panics if there is no
	// current item. The item is valid until the next call of Next or Item.
	Item() (index int, value Value)
}

// EmptyRange is a ListRange without items.
var EmptyRange = &emptyRange{}

type emptyRange struct{}

func (*emptyRange) Next() bool {
	return false
}

func (*emptyRange) Item() (index int, value Value) {
	panic("Item called on empty ListRange")
}

// itemRange is a ListRange of n items. Successive calls of item may return the same Value with
// new content.
type itemRange struct {
	n, i int
	item func(i int) Value
}

func newRange(n int, item func(i int) Value) ListRange {
	if n == 0 {
		return EmptyRange
	}
	return &itemRange{n, -1, item}
}

func (r *itemRange) Next() bool {
	r.i++
	return r.i < r.n
}

func (r *itemRange) Item() (index int, value Value) {
	switch {
	case r.i < 0:
		panic("Item() called before first calling Next()")
	case r.i >= r.n:
		panic("Item() called on ListRange with no more items")
	}
	return r.i, r.item(r.i)
}

// ListEquals reports whether both lists have equal items in the same order. The lists may have
// different implementations.
func ListEquals(lhs, rhs List) bool {
	if lhs.Length() != rhs.Length() {
		return false
	}
	l, r := lhs.Range(), rhs.Range()
	for l.Next() && r.Next() {
		_, a := l.Item()
		_, b := r.Item()
		if !Equals(a, b) {
			return false
		}
	}
	return true
}

// ListLess reports whether lhs comes before rhs in the order of ListCompare.
func ListLess(lhs, rhs List) bool {
	return ListCompare(lhs, rhs) < 0
}

// ListCompare orders lists lexicographically and returns -1, 0 or +1. The first pair of items
// that differ decides the order. If one list is a prefix of the other, the prefix comes first.
func ListCompare(lhs, rhs List) int {
	l, r := lhs.Range(), rhs.Range()
	for {
		more, moreRight := l.Next(), r.Next()
		if !more || !moreRight {
			return BoolCompare(more, moreRight)
		}
		_, a := l.Item()
		_, b := r.Item()
		if c := Compare(a, b); c != 0 {
			return c
		}
	}
}
