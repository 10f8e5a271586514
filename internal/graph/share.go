// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"cmp"
	"slices"
	"sync"

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

// Share looks for parts of the graphs of this process that are equal to parts
// of nodes, and puts in place of each of nodes the one to use. nodes must be marked and
// nobody else's yet; what can be reached from them must be among them or be shared already.
// Parts that are not found are found by others from then on, for as long as they are
// in use. Maps need no names of their fields before, which those that are found are
// spared.
//
// Parts without cycles are shared from the bottom up: two are equal if their
// own facts are and if they lead to the same parts. The parts of a cycle are
// shared together or not at all. All is linear in the number of references.
func Share(nodes []*Node) {
	s := sharers.Get().(*sharer)
	defer s.release()
	for _, n := range nodes {
		s.add(n)
		if n.List != nil {
			s.add(n.List)
		}
		if n.Map != nil {
			s.add(n.Map)
		}
	}
	s.kept = append(s.kept, s.parts...)
	s.components()
	for i, n := range nodes {
		nodes[i] = instead(s, n)
	}
}

// group shares parts that can be reached from each other, or one. All below it are shared.
func (s *sharer) group(parts []part) {
	for _, p := range parts {
		p.repoint(s)
	}
	if len(parts) == 1 {
		s.single(parts[0])
	} else {
		s.ring(parts)
	}
}

// part is a *Node, a *List or a *Map.
type part interface {
	// number is where the number of the part is, while it is being shared.
	number() *int32
	// size returns how many parts it leads to, and below the i-th: the order is the same
	// for equal parts.
	size() int
	below(i int) part
	// same says whether it agrees with another part in all but the parts they lead to.
	// TestSharedPartsAgreeInEveryField holds that no field is forgotten there.
	same(part) bool
	// hash returns a hash of some of what same compares.
	hash() intern.Hash
	// repoint lets it lead to the shared parts below it.
	repoint(*sharer)
	// finish makes what is missing of a part that is about to be kept.
	finish()
	// keep returns what is kept of all that is the same, itself if there is nothing yet.
	keep(hash intern.Hash, same func(part) bool) part
}

func (n *Node) number() *int32 { return &n.slot }
func (l *List) number() *int32 { return &l.slot }
func (m *Map) number() *int32  { return &m.slot }

func (n *Node) size() (size int) {
	if n.List != nil {
		size++
	}
	if n.Map != nil {
		size++
	}
	return size
}

func (l *List) size() int { return 1 }
func (m *Map) size() int  { return 1 + len(m.Fields) }

func (n *Node) below(i int) part {
	if i == 0 && n.List != nil {
		return n.List
	}
	return n.Map
}

func (l *List) below(int) part { return l.Item }

func (m *Map) below(i int) part {
	if i == 0 {
		return m.Elem
	}
	return m.Fields[i-1].Type
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

func (n *Node) hash() (h intern.Hash) {
	h.Text(n.Type)
	h.Flag(n.Nullable)
	h.Flag(n.Missing)
	h.Number(uint64(n.Scalar))
	h.Number(uint64(n.Transition))
	h.Plain(n.Default)
	return h
}

func (l *List) hash() (h intern.Hash) {
	h.Number(uint64(l.Relation))
	for i := range l.Keys {
		h.Text(l.Keys[i].Name)
		h.Plain(l.Keys[i].Absent)
	}
	return h
}

func (m *Map) hash() (h intern.Hash) {
	h.Flag(m.Open)
	h.Flag(m.Atomic)
	h.Number(uint64(m.Undeclared))
	for i := range m.Fields {
		h.Text(m.Fields[i].Name)
		h.Plain(m.Fields[i].Default)
	}
	return h
}

// leadsTo adds to a hash which part is led to.
func leadsTo(h *intern.Hash, p part) {
	switch p := p.(type) {
	case *Node:
		intern.Pointer(h, p)
	case *List:
		intern.Pointer(h, p)
	case *Map:
		intern.Pointer(h, p)
	}
}

// sharer has the parts by their number, and what to use in place of each: itself until
// that is known.
type sharer struct {
	parts, kept []part
	state       []visited
	open        []part
	visits      []visit
}

// visited is what the walk of components knows of a part.
type visited struct {
	order  int32 // 1 + when it was met, 0 if it was not
	low    int32
	closed bool
}

// visit is a part that is being looked at, next which of the parts below it.
type visit struct {
	of   part
	next int
}

// sharers are used again: there is one for each type that is asked for.
var sharers = sync.Pool{New: func() any { return &sharer{} }}

// mostParts is how many parts may have been shared with a sharer that is used again.
const mostParts = 1 << 13

func (s *sharer) release() {
	if len(s.parts) > mostParts {
		return
	}
	clear(s.parts)
	clear(s.kept)
	clear(s.state)
	clear(s.open[:cap(s.open)])
	clear(s.visits[:cap(s.visits)])
	*s = sharer{parts: s.parts[:0], kept: s.kept[:0], state: s.state[:0], open: s.open[:0], visits: s.visits[:0]}
	sharers.Put(s)
}

func (s *sharer) add(p part) {
	if s.within(p) < 0 {
		*p.number() = int32(len(s.parts))
		s.parts = append(s.parts, p)
	}
}

// within returns the number of a part, -1 if it is none of those that are being shared.
func (s *sharer) within(p part) int {
	if at := int(*p.number()); at < len(s.parts) && s.parts[at] == p {
		return at
	}
	return -1
}

// instead returns what to use in place of p, which may be shared already.
func instead[P part](s *sharer, p P) P {
	if at := s.within(p); at >= 0 {
		return s.kept[at].(P)
	}
	return p
}

func (n *Node) repoint(s *sharer) {
	if n.List != nil {
		n.List = instead(s, n.List)
	}
	if n.Map != nil {
		n.Map = instead(s, n.Map)
	}
}

func (l *List) repoint(s *sharer) { l.Item = instead(s, l.Item) }

func (m *Map) repoint(s *sharer) {
	m.Elem = instead(s, m.Elem)
	for i := range m.Fields {
		m.Fields[i].Type = instead(s, m.Fields[i].Type)
	}
}

func (n *Node) finish() {}
func (l *List) finish() {}
func (m *Map) finish() {
	if m.names.none() {
		m.names = newNames(m.Fields)
	}
}

func (n *Node) keep(hash intern.Hash, same func(part) bool) part {
	return sharedParts.nodes.Keep(n, hash, func(kept *Node) bool { return same(kept) })
}

func (l *List) keep(hash intern.Hash, same func(part) bool) part {
	return sharedParts.lists.Keep(l, hash, func(kept *List) bool { return same(kept) })
}

func (m *Map) keep(hash intern.Hash, same func(part) bool) part {
	sameMap := func(kept *Map) bool { return same(kept) }
	if kept := sharedParts.maps.Find(hash, sameMap); kept != nil {
		return kept
	}
	m.finish()
	return sharedParts.maps.Keep(m, hash, sameMap)
}

// single shares a part that is in no cycle and leads to shared parts.
func (s *sharer) single(p part) {
	h := p.hash()
	for i := range p.size() {
		leadsTo(&h, p.below(i))
	}
	same := func(kept part) bool {
		if !p.same(kept) || p.size() != kept.size() {
			return false
		}
		for i := range p.size() {
			if p.below(i) != kept.below(i) {
				return false
			}
		}
		return true
	}
	s.kept[*p.number()] = p.keep(h, same)
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
	var h intern.Hash
	walk := []part{root}
	number[root] = 0
	for i := 0; i < len(walk); i++ {
		p := walk[i]
		h.Number(uint64(p.hash()))
		for i := range p.size() {
			below := p.below(i)
			n, within := number[below]
			if !within {
				leadsTo(&h, below)
				continue
			}
			if n < 0 {
				n = len(walk)
				number[below] = n
				walk = append(walk, below)
			}
			h.Number(uint64(n))
		}
	}
	var found map[part]part
	same := func(kept *Node) (same bool) {
		found, same = pair(number, root, kept)
		return same
	}
	if sharedParts.rings.Find(h, same) == nil {
		for _, p := range parts {
			p.finish()
		}
		sharedParts.rings.Keep(root, h, same)
	}
	if found == nil {
		// Parts outside that lead into the cycle as its own parts do are the
		// same as those.
		for _, p := range parts {
			s.single(p)
		}
	}
	for p, kept := range found {
		s.kept[*p.number()] = kept
	}
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
		mine := todo[len(todo)-1]
		theirs := pairs[mine]
		todo = todo[:len(todo)-1]
		if !mine.same(theirs) || mine.size() != theirs.size() {
			return nil, false
		}
		for i := range mine.size() {
			below := mine.below(i)
			known, paired := pairs[below]
			if _, inside := within[below]; !inside {
				known, paired = below, true
			}
			if paired && known != theirs.below(i) {
				return nil, false
			}
			if !paired {
				pairs[below] = theirs.below(i)
				todo = append(todo, below)
			}
		}
	}
	return pairs, true
}

// components gives the parts to share in groups: those that can be reached from each
// other are in one, and no group leads to a later one. This is Tarjan's
// algorithm without recursion, since depth must not cost stack.
func (s *sharer) components() {
	s.state = slices.Grow(s.state, len(s.parts))[:len(s.parts)]
	met := int32(0)
	enter := func(p part) {
		met++
		s.state[*p.number()] = visited{order: met, low: met}
		s.open = append(s.open, p)
		s.visits = append(s.visits, visit{of: p})
	}
	for i, start := range s.parts {
		if s.state[i].order != 0 {
			continue
		}
		enter(start)
		for len(s.visits) > 0 {
			v := &s.visits[len(s.visits)-1]
			at := *v.of.number()
			me := &s.state[at]
			if v.next < v.of.size() {
				next := v.of.below(v.next)
				v.next++
				if i := s.within(next); i < 0 || s.state[i].closed {
					continue
				} else if s.state[i].order == 0 {
					enter(next)
				} else {
					me.low = min(me.low, s.state[i].order)
				}
				continue
			}
			s.visits = s.visits[:len(s.visits)-1]
			if len(s.visits) > 0 {
				above := &s.state[*s.visits[len(s.visits)-1].of.number()]
				above.low = min(above.low, me.low)
			}
			if me.low != me.order {
				continue
			}
			from := len(s.open) - 1
			for s.open[from] != s.parts[at] {
				from--
			}
			for _, member := range s.open[from:] {
				s.state[*member.number()].closed = true
			}
			s.group(s.open[from:])
			s.open = s.open[:from]
		}
	}
}
