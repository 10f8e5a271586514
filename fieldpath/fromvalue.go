// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/value"
)

// AssociativeListCandidateFieldNames lists the fields that SetFromValue uses as keys of list
// items. For each item, SetFromValue uses those fields that have a scalar value.
var AssociativeListCandidateFieldNames = []string{
	"key",
	"id",
	"name",
}

// SetFromValue returns the paths of all scalars and nulls in v. It needs no schema: it
// identifies a list item by the fields of AssociativeListCandidateFieldNames that the item
// has. An item without such fields is identified by its index. Empty maps and lists have
// no paths.
func SetFromValue(v value.Value) *Set {
	s := &Set{}
	if v != nil && !isLeaf(v) {
		s.insertLeaves(v)
	}
	return s
}

func isLeaf(v value.Value) bool {
	return v.IsNull() || !v.IsList() && !v.IsMap()
}

func (s *Set) insertLeaves(v value.Value) {
	if v.IsList() {
		items := v.AsList().Range()
		for items.Next() {
			i, item := items.Item()
			s.insertLeaf(guessElement(i, item), item)
		}
		return
	}
	v.AsMap().Zip(nil, value.LexicalKeyOrder, func(name string, child, _ value.Value) bool {
		s.insertLeaf(FieldNameElement(name), child)
		return true
	})
}

// insertLeaf adds the paths of the leaves in v, which is the value at pe. If v has no leaves, it
// adds nothing.
func (s *Set) insertLeaf(pe PathElement, v value.Value) {
	if isLeaf(v) {
		s.Members.Insert(pe)
		return
	}
	nodes := &s.Children.members
	at, found := searchNodes(*nodes, &pe)
	if found {
		(*nodes)[at].Set.insertLeaves(v)
		return
	}
	child := &Set{}
	child.insertLeaves(v)
	if len(child.Members.members)+len(child.Children.members) > 0 {
		*nodes = slices.Insert(*nodes, at, SetNode{PathElement: pe, Set: child})
	}
}

// guessElement returns the path element for a list item.
func guessElement(index int, item value.Value) PathElement {
	if !item.IsMap() {
		return IndexElement(index)
	}
	m := item.AsMap()
	var key value.FieldList
	for _, name := range AssociativeListCandidateFieldNames {
		v, ok := m.Get(name)
		if ok && !v.IsNull() && !v.IsMap() && !v.IsList() {
			key = append(key, value.Field{Name: name, Value: v})
		}
	}
	if len(key) == 0 {
		return IndexElement(index)
	}
	key.Sort()
	return PathElement{Key: &key}
}
