// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"github.com/dovetail-ssa/dovetail/schema"
)

// EnsureNamedFieldsAreMembers returns the paths of s together with some of their parents: the
// parents that are declared fields. For example, if s has the path .a.b.c, and "a" is a declared
// field of the root, the result also has .a. It does not get .a.b if "b" is a key of a map. tr is
// the type of the root in the schema sc. Below values whose type is not in sc,
// EnsureNamedFieldsAreMembers adds no paths. It does not change s.
func (s *Set) EnsureNamedFieldsAreMembers(sc *schema.Schema, tr schema.TypeRef) *Set {
	n := namer{schema: sc}
	atom, _ := sc.Resolve(tr)
	return n.arena.set(n.members(s, atom), n.nodes(s.Children.members, atom))
}

type namer struct {
	arena  arena
	schema *schema.Schema
}

// set returns the paths of s together with those of their parents that are declared fields. It
// returns s itself if there is nothing to add. tr is the type of the value that s belongs to.
func (n *namer) set(s *Set, tr schema.TypeRef) *Set {
	if len(s.Children.members) == 0 {
		return s
	}
	atom, _ := n.schema.Resolve(tr)
	return n.arena.setLike(s, n.members(s, atom), n.nodes(s.Children.members, atom))
}

// members returns the members of s, together with those children of s that are declared fields of
// the type atom.
func (n *namer) members(s *Set, atom schema.Atom) []PathElement {
	have, nodes := s.Members.members, s.Children.members
	if atom.Map == nil || len(nodes) == 0 {
		return have
	}
	var room [spanRoom]span
	add := room[:0]
	at, count := 0, 0
	for i := range nodes {
		pe := &nodes[i].PathElement
		if pe.FieldName == nil {
			break // field names come before all other elements, so no more field names follow
		}
		var found bool
		if at, found = seekElements(have, at, pe); found {
			continue
		}
		if _, named := atom.Map.FindField(*pe.FieldName); named {
			add = addSpan(add, i, i+1, false)
			count++
		}
	}
	if count == 0 {
		return have
	}
	out := n.arena.elements.Take(len(have) + count)[:0]
	for _, sp := range add {
		for i := sp.low; i < sp.high; i++ {
			pe := &nodes[i].PathElement
			at, _ := seekElements(have, 0, pe)
			out = append(append(out, have[:at]...), *pe)
			have = have[at:]
		}
	}
	return append(out, have...)
}

// nodes returns the given children, each with the result of n.set in place of its set. The type
// atom is the type of the value that contains the children.
func (n *namer) nodes(x []SetNode, atom schema.Atom) []SetNode {
	if atom.Map == nil && atom.List == nil {
		return x
	}
	kept := nodePicker{from: x}
	for i := range x {
		pe, set := &x[i].PathElement, x[i].Set
		switch {
		case pe.FieldName != nil && atom.Map != nil:
			tr := atom.Map.ElementType
			if field, ok := atom.Map.FindField(*pe.FieldName); ok {
				tr = field.Type
			}
			set = n.set(set, tr)
		case pe.Key != nil && atom.List != nil:
			set = n.set(set, atom.List.ElementType)
		}
		kept.put(&n.arena, i, set, len(x)-i-1)
	}
	return kept.result()
}
