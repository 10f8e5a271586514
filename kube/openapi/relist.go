// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"strings"
)

// relist gives a definition of its own to each reference that states another
// list type than the list definition it refers to, which schemaconv would pass
// over. The definition is a copy of the list's with the reference's list type,
// one for each list and type, so that definitions may well refer to themselves
// in this way.
func (s *source) relist() {
	var queue []*node
	for _, name := range sortedKeys(s.nodes) {
		queue = append(queue, s.nodes[name])
	}
	for len(queue) > 0 {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, name := range n.names() {
			queue = append(queue, n.properties[name])
		}
		if n.items != nil {
			queue = append(queue, n.items)
		}
		if n.additional != nil {
			queue = append(queue, n.additional)
		}
		if n.listType != "" && n.target() != "" {
			s.listOverride(n)
		}
	}
}

func (s *source) listOverride(n *node) {
	list, nullable, transition := n, n.nullable, n.marked()
	for range len(s.nodes) + 1 {
		if list = s.nodes[list.target()]; list == nil || list.target() == "" {
			break
		}
		nullable, transition = nullable || list.nullable, cmp.Or(transition, list.marked())
	}
	if list == nil || list.kind != "array" || list.items == nil {
		s.add(&s.warns, n.doc, n.at, "the list type is passed over: want it beside a reference to a definition of type array")
		return
	}
	name := n.target() + "[" + strings.Join(append([]string{n.listType}, n.keys...), ",") + "]"
	if _, ok := s.nodes[name]; !ok {
		own := *list
		own.doc, own.at = n.doc, n.at
		own.listType, own.keys = n.listType, n.keys
		own.patchStrategy, own.mergeKey, own.gvks = "", "", nil
		s.nodes[name] = &own
	}
	n.def, n.nullable, n.transition = n.nearest(), nullable, transition
	n.ref, n.allOf = name, nil
	n.listType, n.keys = "", nil
}
