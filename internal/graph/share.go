// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/intern"
)

// sharedParts are the parts of all graphs of the process, one of each. They are held
// weakly: what no schema uses any more is collected. They cannot be changed
// through a schema, since nodes are immutable and stay inside the module.
var sharedParts struct {
	nodes intern.Table[Node]
	lists intern.Table[List]
	maps  intern.Table[Map]
	// rings are cycles, each by one of its nodes.
	rings intern.Table[Node]
}

var seed = maphash.MakeSeed()

// Share looks for parts of the graphs of this process that are equal to parts
// of nodes, and returns a function that says which node to use in place of one
// of nodes; it leaves others alone. nodes must be marked and nobody else's yet;
// what can be reached from them must be among them or be shared already. Parts
// that are not found are found by others from then on, for as long as they are
// in use.
//
// Parts without cycles are shared from the bottom up: two are equal if their
// own facts are and if they lead to the same parts. The parts of a cycle are
// shared together or not at all. All is linear in the number of references.
func Share(nodes []*Node) func(*Node) *Node {
	s := sharer{kept: make(map[part]part, 2*len(nodes))}
	for _, n := range nodes {
		s.add(part{node: n})
		if n.List != nil {
			s.add(part{list: n.List})
		}
		if n.Map != nil {
			s.add(part{mapp: n.Map})
		}
	}
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
	return func(n *Node) *Node {
		s.repointNode(&n)
		return n
	}
}

// part is a node, a list or a map; the others are nil.
type part struct {
	node *Node
	list *List
	mapp *Map
}

// eachBelow calls f with the parts that p leads to, in an order that is the
// same for equal parts.
func (p part) eachBelow(f func(part)) {
	switch {
	case p.node != nil:
		if p.node.List != nil {
			f(part{list: p.node.List})
		}
		if p.node.Map != nil {
			f(part{mapp: p.node.Map})
		}
	case p.list != nil:
		f(part{node: p.list.Item})
	case p.mapp != nil:
		f(part{node: p.mapp.Elem})
		for i := range p.mapp.Fields {
			f(part{node: p.mapp.Fields[i].Type})
		}
	}
}

func (p part) below() (all []part) {
	p.eachBelow(func(below part) { all = append(all, below) })
	return all
}

// same says whether p and q agree in all but the parts they lead to.
// TestSharedPartsAgreeInEveryField holds that no field is forgotten here.
func (p part) same(q part) bool {
	switch {
	case p.node != nil:
		return q.node != nil && p.node.sameFacts(q.node)
	case p.list != nil:
		return q.list != nil && p.list.sameFacts(q.list)
	}
	return q.mapp != nil && p.mapp.sameFacts(q.mapp)
}

func (n *Node) sameFacts(o *Node) bool {
	return n.Type == o.Type && n.Scalar == o.Scalar && n.ScalarText == o.ScalarText &&
		n.Nullable == o.Nullable && n.Missing == o.Missing && n.Defaults == o.Defaults &&
		n.Sound == o.Sound && n.Restless == o.Restless && n.Steady == o.Steady && n.Keyed == o.Keyed &&
		n.Drops == o.Drops && n.Transition == o.Transition && n.Marked == o.Marked && n.Declarative == o.Declarative &&
		(n.List == nil) == (o.List == nil) && (n.Map == nil) == (o.Map == nil) &&
		intern.SamePlain(n.Default, o.Default)
}

func (l *List) sameFacts(o *List) bool {
	return l.Relation == o.Relation && l.KeyFault == o.KeyFault && l.Strict == o.Strict && l.Declarative == o.Declarative &&
		slices.Equal(l.KeyNames, o.KeyNames) &&
		slices.EqualFunc(l.Keys, o.Keys, func(a, b Key) bool {
			return a.Name == b.Name && a.NullIsMissing == b.NullIsMissing && a.ZeroIsMissing == b.ZeroIsMissing &&
				intern.SamePlain(a.Absent, b.Absent)
		}) &&
		intern.SamePlain(l.ItemDefault, o.ItemDefault)
}

func (m *Map) sameFacts(o *Map) bool {
	return m.Open == o.Open && m.Atomic == o.Atomic && m.Deduced == o.Deduced && m.Undeclared == o.Undeclared && m.Structural == o.Structural &&
		slices.EqualFunc(m.Fields, o.Fields, func(a, b Field) bool {
			return a.Name == b.Name && intern.SamePlain(a.Default, b.Default)
		}) &&
		intern.SamePlain(m.ElemDefault, o.ElemDefault)
}

// write adds to a hash some of what same compares.
func (p part) write(h *maphash.Hash) {
	switch {
	case p.node != nil:
		h.WriteString(p.node.Type)
		maphash.WriteComparable(h, [2]bool{p.node.Nullable, p.node.Missing})
		maphash.WriteComparable(h, p.node.Scalar)
		maphash.WriteComparable(h, p.node.Transition)
		intern.WritePlain(h, p.node.Default)
	case p.list != nil:
		maphash.WriteComparable(h, p.list.Relation)
		for i := range p.list.Keys {
			h.WriteString(p.list.Keys[i].Name)
			intern.WritePlain(h, p.list.Keys[i].Absent)
		}
	default:
		maphash.WriteComparable(h, [2]bool{p.mapp.Open, p.mapp.Atomic})
		maphash.WriteComparable(h, p.mapp.Undeclared)
		for i := range p.mapp.Fields {
			h.WriteString(p.mapp.Fields[i].Name)
			intern.WritePlain(h, p.mapp.Fields[i].Default)
		}
	}
}

// sharer holds what to use in place of each part, itself until that is known.
type sharer struct {
	parts []part
	kept  map[part]part
}

func (s *sharer) add(p part) {
	if _, known := s.kept[p]; !known {
		s.kept[p] = p
		s.parts = append(s.parts, p)
	}
}

// repoint lets a part lead to the shared parts below it.
func (s *sharer) repoint(p part) {
	switch {
	case p.node != nil:
		if p.node.List != nil {
			p.node.List = s.kept[part{list: p.node.List}].list
		}
		if p.node.Map != nil {
			p.node.Map = s.kept[part{mapp: p.node.Map}].mapp
		}
	case p.list != nil:
		s.repointNode(&p.list.Item)
	default:
		s.repointNode(&p.mapp.Elem)
		for i := range p.mapp.Fields {
			s.repointNode(&p.mapp.Fields[i].Type)
		}
	}
}

func (s *sharer) repointNode(n **Node) {
	if kept, ok := s.kept[part{node: *n}]; ok {
		*n = kept.node
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
	switch hash := h.Sum64(); {
	case p.node != nil:
		s.kept[p] = part{node: sharedParts.nodes.Keep(p.node, hash, func(kept *Node) bool { return same(part{node: kept}) })}
	case p.list != nil:
		s.kept[p] = part{list: sharedParts.lists.Keep(p.list, hash, func(kept *List) bool { return same(part{list: kept}) })}
	default:
		s.kept[p] = part{mapp: sharedParts.maps.Keep(p.mapp, hash, func(kept *Map) bool { return same(part{mapp: kept}) })}
	}
}

// ring shares the parts of a cycle, or of cycles that meet, all of which can be
// reached from each other. Whatever else they lead to is shared already.
//
// A cycle is known by the walk over it from one of its nodes. Which one does
// not matter as long as equal cycles have equal ones: it is the one with the
// least name, and of several the first. Where that tells two equal cycles
// apart they are not shared, which is no harm.
func (s *sharer) ring(parts []part) {
	var root *Node
	number := make(map[part]int, len(parts))
	for _, p := range parts {
		number[p] = -1
		if n := p.node; n != nil && (root == nil || n.before(root)) {
			root = n
		}
	}
	var h maphash.Hash
	h.SetSeed(seed)
	walk := []part{{node: root}}
	number[walk[0]] = 0
	for i := 0; i < len(walk); i++ {
		walk[i].write(&h)
		walk[i].eachBelow(func(below part) {
			n, within := number[below]
			if !within {
				maphash.WriteComparable(&h, below)
				return
			}
			if n < 0 {
				n = len(walk)
				number[below] = n
				walk = append(walk, below)
			}
			maphash.WriteComparable(&h, n)
		})
	}
	var found map[part]part
	sharedParts.rings.Keep(root, h.Sum64(), func(kept *Node) (same bool) {
		found, same = pair(number, part{node: root}, part{node: kept})
		return same
	})
	if found == nil {
		// Parts outside that lead into the cycle as its own parts do are the
		// same as those.
		for _, p := range parts {
			s.single(p)
		}
	}
	maps.Copy(s.kept, found)
}

func (n *Node) before(other *Node) bool {
	null := func(n *Node) int {
		if n.Nullable {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(n.Type, other.Type), null(n)-null(other), cmp.Compare(n.Transition, other.Transition)) < 0
}

// pair walks over a cycle and over the one that is kept, and returns which
// part of it is which, if all are the same. within are the parts of the cycle.
func pair(within map[part]int, root, kept part) (map[part]part, bool) {
	pairs := map[part]part{root: kept}
	for todo := []part{root}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		mine, theirs := p.below(), pairs[p].below()
		if !p.same(pairs[p]) || len(mine) != len(theirs) {
			return nil, false
		}
		for i, below := range mine {
			known, paired := pairs[below]
			if _, inside := within[below]; !inside {
				known, paired = below, true
			}
			if paired && known != theirs[i] {
				return nil, false
			}
			if !paired {
				pairs[below] = theirs[i]
				todo = append(todo, below)
			}
		}
	}
	return pairs, true
}

// components returns the parts in groups: those that can be reached from each
// other are in one, and no group leads to a later one. This is Tarjan's
// algorithm without recursion, since depth must not cost stack.
func (s *sharer) components() (groups [][]part) {
	order := make(map[part]int, len(s.parts)) // 1 + when it was met, 0 if it was not
	low := make(map[part]int, len(s.parts))
	closed := make(map[part]bool, len(s.parts))
	var open []part
	type visit struct {
		of   part
		todo []part
	}
	var visits []visit
	enter := func(p part) {
		order[p] = len(order) + 1
		low[p] = order[p]
		open = append(open, p)
		visits = append(visits, visit{p, s.fresh(p)})
	}
	for _, start := range s.parts {
		if order[start] != 0 {
			continue
		}
		enter(start)
		for len(visits) > 0 {
			v := &visits[len(visits)-1]
			if len(v.todo) > 0 {
				next := v.todo[0]
				v.todo = v.todo[1:]
				if order[next] == 0 {
					enter(next)
				} else if !closed[next] {
					low[v.of] = min(low[v.of], order[next])
				}
				continue
			}
			p := v.of
			visits = visits[:len(visits)-1]
			if len(visits) > 0 {
				above := visits[len(visits)-1].of
				low[above] = min(low[above], low[p])
			}
			if low[p] != order[p] {
				continue
			}
			from := len(open) - 1
			for open[from] != p {
				from--
			}
			group := slices.Clone(open[from:])
			open = open[:from]
			for _, member := range group {
				closed[member] = true
			}
			groups = append(groups, group)
		}
	}
	return groups
}

// fresh returns the parts below p that are being shared.
func (s *sharer) fresh(p part) []part {
	return slices.DeleteFunc(p.below(), func(below part) bool {
		_, being := s.kept[below]
		return !being
	})
}
