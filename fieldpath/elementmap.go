// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/value"
)

// PathElementMap maps path elements to anything. The zero value is empty and
// ready to use. Inserting elements in order is cheapest.
type PathElementMap struct {
	// keys is strictly ascending; values[i] belongs to keys[i].
	keys   []PathElement
	values []any
}

// MakePathElementMap returns an empty map with room for size elements.
func MakePathElementMap(size int) PathElementMap {
	return PathElementMap{
		keys:   make([]PathElement, 0, size),
		values: make([]any, 0, size),
	}
}

// Insert sets the value of pe, replacing an earlier one.
func (s *PathElementMap) Insert(pe PathElement, v interface{}) {
	at, found := searchElements(s.keys, &pe)
	if found {
		s.values[at] = v
		return
	}
	s.keys = slices.Insert(s.keys, at, pe)
	s.values = slices.Insert(s.values, at, v)
}

// Get returns the value of pe and true, or nil and false.
func (s *PathElementMap) Get(pe PathElement) (interface{}, bool) {
	if at, found := searchElements(s.keys, &pe); found {
		return s.values[at], true
	}
	return nil, false
}

// PathElementValueMap is a PathElementMap of values.
type PathElementValueMap struct {
	values PathElementMap
}

// MakePathElementValueMap returns an empty map with room for size elements.
func MakePathElementValueMap(size int) PathElementValueMap {
	return PathElementValueMap{values: MakePathElementMap(size)}
}

// Insert sets the value of pe, replacing an earlier one.
func (s *PathElementValueMap) Insert(pe PathElement, v value.Value) {
	s.values.Insert(pe, v)
}

// Get returns the value of pe and true, or nil and false.
func (s *PathElementValueMap) Get(pe PathElement) (value.Value, bool) {
	v, found := s.values.Get(pe)
	if !found {
		return nil, false
	}
	out, _ := v.(value.Value) // a nil value was stored as nil
	return out, true
}
