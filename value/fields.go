// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"slices"
	"strings"
)

// Field is the name and the value of a field.
type Field struct {
	Name  string
	Value Value
}

// FieldList is a list of fields with different names.
type FieldList []Field

// Copy returns a new list of the same fields.
func (f FieldList) Copy() FieldList {
	return append(make(FieldList, 0, len(f)), f...)
}

// Sort sorts the list by name, in place.
func (f FieldList) Sort() {
	slices.SortStableFunc(f, func(a, b Field) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// Less reports whether f comes before rhs in the order of Compare.
func (f FieldList) Less(rhs FieldList) bool {
	return f.Compare(rhs) < 0
}

// Compare orders lists lexicographically and returns -1, 0 or +1. The first pair of fields that
// differ decides the order, by name and then by value. If one list is a prefix of the other, the
// prefix comes first.
func (f FieldList) Compare(rhs FieldList) int {
	return slices.CompareFunc(f, rhs, func(a, b Field) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return Compare(a.Value, b.Value)
	})
}

// Equals reports whether both lists have the same names and equal values, in
// the same order.
func (f FieldList) Equals(rhs FieldList) bool {
	return slices.EqualFunc(f, rhs, func(a, b Field) bool { return a.Name == b.Name && Equals(a.Value, b.Value) })
}
