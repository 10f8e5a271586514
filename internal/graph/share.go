// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"hash/maphash"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/intern"
)

// The parts of all graphs of the process, one of each.
var (
	nodes intern.Table[Node]
	lists intern.Table[List]
	maps  intern.Table[Map]
	// rings are cycles, each by one of its nodes.
	rings intern.Table[Node]

	seed = maphash.MakeSeed()
)

// Share looks for parts of the graphs of this process that are equal to parts
// of nodes, and returns what to use in place of each of nodes. nodes must be
// marked and nobody else's yet; what can be reached from them must be among
// them or be shared already. Parts that are not found are found by others from
// then on, for as long as they are in use.
//
// Parts without cycles are shared from the bottom up: two are equal if their
// own facts are and if they lead to the same parts. The parts of a cycle are
// shared together or not at all. All is linear in the number of references.
func Share(nodes []*Node) map[*Node]*Node {
	s := newSharer(nodes)
	for _, parts := range s.components() {
		for _, p := range parts {
			s.repoint(p)
		}
		if len(parts) == 1 {
			s.single(parts[0])
		} else {
			s.ring(parts)
		}
	}
	return s.node
}

// part is a node, a list or a map; the others are nil.
type part struct {
	node *Node
	list *List
	mapp *Map
}

// sharer holds what to use in place of each part, itself until that is known.
type sharer struct {
	parts []part
	node  map[*Node]*Node
	list  map[*List]*List
	mapp  map[*Map]*Map
}

func newSharer(nodes []*Node) *sharer {
	s := &sharer{node: make(map[*Node]*Node, len(nodes)), list: map[*List]*List{}, mapp: map[*Map]*Map{}}
	for _, n := range nodes {
		s.node[n] = n
		s.parts = append(s.parts, part{node: n})
		if n.List != nil && s.list[n.List] == nil {
			s.list[n.List] = n.List
			s.parts = append(s.parts, part{list: n.List})
		}
		if n.Map != nil && s.mapp[n.Map] == nil {
			s.mapp[n.Map] = n.Map
			s.parts = append(s.parts, part{mapp: n.Map})
		}
	}
	return s
}

// repoint lets a part lead to the shared parts below it.
func (s *sharer) repoint(p part) {
	below := func(n **Node) {
		if to, ok := s.node[*n]; ok {
			*n = to
		}
	}
	switch {
	case p.node != nil:
		if p.node.List != nil {
			p.node.List = s.list[p.node.List]
		}
		if p.node.Map != nil {
			p.node.Map = s.mapp[p.node.Map]
		}
	case p.list != nil:
		below(&p.list.Item)
	default:
		below(&p.mapp.Elem)
		for i := range p.mapp.Fields {
			below(&p.mapp.Fields[i].Type)
		}
	}
}

// single shares a part that is in no cycle and leads to shared parts.
func (s *sharer) single(p part) {
	var h maphash.Hash
	h.SetSeed(seed)
	p.write(&h)
	below := p.below()
	for _, b := range below {
		maphash.WriteComparable(&h, b)
	}
	same := func(kept part) bool { return p.same(kept) && slices.Equal(below, kept.below()) }
	switch {
	case p.node != nil:
		s.node[p.node] = nodes.Keep(p.node, h.Sum64(), func(kept *Node) bool { return same(part{node: kept}) })
	case p.list != nil:
		s.list[p.list] = lists.Keep(p.list, h.Sum64(), func(kept *List) bool { return same(part{list: kept}) })
	default:
		s.mapp[p.mapp] = maps.Keep(p.mapp, h.Sum64(), func(kept *Map) bool { return same(part{mapp: kept}) })
	}
}
