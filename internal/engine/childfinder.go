// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
)

// childFinder finds children of a set for elements that come in order.
type childFinder struct{ rest []fieldpath.SetNode }

func childrenOf(s *fieldpath.Set) childFinder {
	if s == nil {
		return childFinder{}
	}
	return childFinder{s.Children.Sorted()}
}

// find returns the child of pe, nil if there is none.
func (f *childFinder) find(pe *fieldpath.PathElement) *fieldpath.Set {
	if pe.FieldName != nil {
		return f.field(*pe.FieldName)
	}
	for len(f.rest) > 0 {
		c := &f.rest[0]
		if sameElement(&c.PathElement, pe) || pe.Key != nil && c.PathElement.Key != nil && sameKeys(*pe.Key, *c.PathElement.Key) {
			f.rest = f.rest[1:]
			return c.Set
		}
		switch order := c.PathElement.Compare(*pe); {
		case order == 0:
			f.rest = f.rest[1:]
			return c.Set
		case order > 0:
			return nil
		}
		f.rest = f.rest[1:]
	}
	return nil
}

// sameKeys says whether two keys are the same. It may say no of numbers that are
// equal.
func sameKeys(x, y value.FieldList) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Name != y[i].Name || !sameScalar(x[i].Value.Unstructured(), y[i].Value.Unstructured()) {
			return false
		}
	}
	return true
}

// field is find for a field.
func (f *childFinder) field(name string) *fieldpath.Set {
	for len(f.rest) > 0 {
		c := &f.rest[0]
		if c.PathElement.FieldName == nil {
			return nil // fields come first
		}
		of := *c.PathElement.FieldName
		if of == name {
			f.rest = f.rest[1:]
			return c.Set
		}
		if of > name {
			return nil
		}
		f.rest = f.rest[1:]
	}
	return nil
}

// nameIn returns the set's own copy of a field name, nil if it has none.
func nameIn(s *fieldpath.Set, name string) *string {
	if s == nil {
		return nil
	}
	members, children := s.Members.Sorted(), s.Children.Sorted()
	if at, ok := slices.BinarySearchFunc(members, name, byName); ok {
		return members[at].FieldName
	}
	if at, ok := slices.BinarySearchFunc(children, name, nodeByName); ok {
		return children[at].PathElement.FieldName
	}
	return nil
}

// byName orders an element against a field name, which comes before all that is
// no field.
func byName(pe fieldpath.PathElement, name string) int {
	if pe.FieldName == nil {
		return 1
	}
	return strings.Compare(*pe.FieldName, name)
}

func nodeByName(c fieldpath.SetNode, name string) int { return byName(c.PathElement, name) }
