// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import "reflect"

// listReflect is a slice.
type listReflect struct {
	v     reflect.Value
	elem  *typeInfo
	depth int
}

func (l *listReflect) Length() int {
	return l.v.Len()
}

func (l *listReflect) At(i int) Value {
	return new(valueReflect).mustSet(l.v.Index(i), l.elem, nil, l.depth+1)
}

func (l *listReflect) AtUsing(_ Allocator, i int) Value {
	return l.At(i)
}

func (l *listReflect) Range() ListRange {
	if l.v.Len() == 0 {
		return EmptyRange
	}
	return &listReflectRange{list: l, i: -1}
}

func (l *listReflect) RangeUsing(Allocator) ListRange {
	return l.Range()
}

// Equals compares two slices as Go values: their types and what their fields
// hold count, not the serialised form.
func (l *listReflect) Equals(other List) bool {
	if o, ok := other.(*listReflect); ok {
		return reflect.DeepEqual(l.v.Interface(), o.v.Interface())
	}
	return ListEquals(l, other)
}

func (l *listReflect) EqualsUsing(_ Allocator, other List) bool {
	return l.Equals(other)
}

// listReflectRange hands out one value, over and over.
type listReflectRange struct {
	list *listReflect
	item valueReflect
	i    int
}

func (r *listReflectRange) Next() bool {
	r.i++
	return r.i < r.list.v.Len()
}

func (r *listReflectRange) Item() (index int, value Value) {
	if r.i < 0 {
		panic(itemBeforeNext)
	}
	if r.i >= r.list.v.Len() {
		panic(itemPastEnd)
	}
	return r.i, r.item.mustSet(r.list.v.Index(r.i), r.list.elem, nil, r.list.depth+1)
}
