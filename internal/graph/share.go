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
		s.add(n)
		if n.List != nil {
			s.add(n.List)
		}
		if n.Map != nil {
			s.add(n.Map)
		}
	}
	for _, parts := range s.components() {
		for _, p := range parts {
			p.repoint(s)
		}
		if len(parts) == 1 {
			s.single(parts[0])
		} else {
			s.ring(parts)
		}
	}
	return func(n *Node) *Node { return instead(s, n) }
}

// part is a *Node, a *List or a *Map.
type part interface {
	// below returns the parts that it leads to, in an order that is the same for
	// equal parts.
	below() []part
	// same says whether it agrees with another part in all but the parts they lead to.
	// TestSharedPartsAgreeInEveryField holds that no field is forgotten there.
	same(part) bool
	// write adds to a hash some of what same compares.
	write(*maphash.Hash)
	// repoint lets it lead to the shared parts below it.
	repoint(sharer)
	// keep returns what is kept of all that is the same, itself if there is nothing yet.
	keep(hash uint64, same func(part) bool) part
}

func (n *Node) below() (all []part) {
	if n.List != nil {
		all = append(all, n.List)
	}
	if n.Map != nil {
		all = append(all, n.Map)
	}
	return all
}

func (l *List) below() []part { return []part{l.Item} }

func (m *Map) below() []part {
	all := []part{m.Elem}
	for i := range m.Fields {
		all = append(all, m.Fields[i].Type)
	}
	return all
}

func (n *Node) same(p part) bool {
	o, ok := p.(*Node)
	return ok && n.Type == o.Type && n.Scalar == o.Scalar && n.ScalarText == o.ScalarText &&
		n.Nullable == o.Nullable && n.Missing == o.Missing && n.Defaults == o.Defaults &&
		n.Sound == o.Sound && n.Reconciles == o.Reconciles && n.ReconciledItself == o.ReconciledItself && n.Keyed == o.Keyed &&
		n.Drops == o.Drops && n.Transition == o.Transition && n.HasTransitions == o.HasTransitions && n.Unioned == o.Unioned && n.Declarative == o.Declarative &&
		(n.List == nil) == (o.List == nil) && (n.Map == nil) == (o.Map == nil) &&
		intern.SamePlain(n.Default, o.Default)
}

func (l *List) same(p part) bool {
	o, ok := p.(*List)
	return ok && l.Relation == o.Relation && l.KeyFault == o.KeyFault && l.Strict == o.Strict && l.Declarative == o.Declarative &&
		slices.Equal(l.KeyNames, o.KeyNames) &&
		slices.EqualFunc(l.Keys, o.Keys, func(a, b Key) bool {
			return a.Name == b.Name && a.NullIsMissing == b.NullIsMissing && a.ZeroIsMissing == b.ZeroIsMissing &&
				intern.SamePlain(a.Absent, b.Absent)
		}) &&
		intern.SamePlain(l.ItemDefault, o.ItemDefault)
}

func (m *Map) same(p part) bool {
	o, ok := p.(*Map)
	return ok && m.Open == o.Open && m.Atomic == o.Atomic && m.Deduced == o.Deduced && m.Undeclared == o.Undeclared && m.Structural == o.Structural && m.Reconciles == o.Reconciles &&
		slices.EqualFunc(m.Fields, o.Fields, func(a, b Field) bool {
			return a.Name == b.Name && intern.SamePlain(a.Default, b.Default)
		}) &&
		slices.EqualFunc(m.AllUnions(), o.AllUnions(), func(a, b Union) bool {
			return a.Discriminator == b.Discriminator && slices.Equal(a.Members, b.Members)
		}) &&
		intern.SamePlain(m.ElemDefault, o.ElemDefault)
}

func (n *Node) write(h *maphash.Hash) {
	h.WriteString(n.Type)
	maphash.WriteComparable(h, [2]bool{n.Nullable, n.Missing})
	maphash.WriteComparable(h, n.Scalar)
	maphash.WriteComparable(h, n.Transition)
	intern.WritePlain(h, n.Default)
}

func (l *List) write(h *maphash.Hash) {
	maphash.WriteComparable(h, l.Relation)
	for i := range l.Keys {
		h.WriteString(l.Keys[i].Name)
		intern.WritePlain(h, l.Keys[i].Absent)
	}
}

func (m *Map) write(h *maphash.Hash) {
	maphash.WriteComparable(h, [2]bool{m.Open, m.Atomic})
	maphash.WriteComparable(h, m.Undeclared)
	for i := range m.Fields {
		h.WriteString(m.Fields[i].Name)
		intern.WritePlain(h, m.Fields[i].Default)
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

// instead returns what to use in place of p, which may be shared already.
func instead[P part](s sharer, p P) P {
	if kept, ok := s.kept[p]; ok {
		return kept.(P)
	}
	return p
}

func (n *Node) repoint(s sharer) { n.List, n.Map = instead(s, n.List), instead(s, n.Map) }
func (l *List) repoint(s sharer) { l.Item = instead(s, l.Item) }

func (m *Map) repoint(s sharer) {
	m.Elem = instead(s, m.Elem)
	for i := range m.Fields {
		m.Fields[i].Type = instead(s, m.Fields[i].Type)
	}
}

func (n *Node) keep(hash uint64, same func(part) bool) part {
	return sharedParts.nodes.Keep(n, hash, func(kept *Node) bool { return same(kept) })
}

func (l *List) keep(hash uint64, same func(part) bool) part {
	return sharedParts.lists.Keep(l, hash, func(kept *List) bool { return same(kept) })
}

func (m *Map) keep(hash uint64, same func(part) bool) part {
	return sharedParts.maps.Keep(m, hash, func(kept *Map) bool { return same(kept) })
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
	s.kept[p] = p.keep(h.Sum64(), func(kept part) bool { return p.same(kept) && slices.Equal(below, kept.below()) })
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
		if n, ok := p.(*Node); ok && (root == nil || n.before(root)) {
			root = n
		}
	}
	var h maphash.Hash
	h.SetSeed(seed)
	walk := []part{root}
	number[root] = 0
	for i := 0; i < len(walk); i++ {
		walk[i].write(&h)
		for _, below := range walk[i].below() {
			n, within := number[below]
			if !within {
				maphash.WriteComparable(&h, below)
				continue
			}
			if n < 0 {
				n = len(walk)
				number[below] = n
				walk = append(walk, below)
			}
			maphash.WriteComparable(&h, n)
		}
	}
	var found map[part]part
	sharedParts.rings.Keep(root, h.Sum64(), func(kept *Node) (same bool) {
		found, same = pair(number, root, kept)
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
	c := cmp.Or(cmp.Compare(n.Type, other.Type), cmp.Compare(n.Transition, other.Transition))
	return c < 0 || c == 0 && !n.Nullable && other.Nullable
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
		todo []part // parts below it that are being shared
	}
	var visits []visit
	enter := func(p part) {
		order[p] = len(order) + 1
		low[p] = order[p]
		open = append(open, p)
		visits = append(visits, visit{p, slices.DeleteFunc(p.below(), func(below part) bool { return s.kept[below] == nil })})
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
