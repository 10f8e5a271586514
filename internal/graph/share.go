// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"cmp"
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/internal/intern"
)

// sharedParts contains one copy of each distinct part of all graphs in the process. It has weak
// pointers, so the garbage collector frees parts that no schema uses. Nodes are immutable, and
// code outside this module cannot reach them, so no program can change a shared part.
var sharedParts struct {
	nodes intern.Table[Node]
	lists intern.Table[List]
	maps  intern.Table[Map]
	// rings contains one node of each cycle of parts.
	rings intern.Table[Node]
}

// Share replaces each node in nodes with an equal node of another graph in this process. If there
// is none, the node remains, and later calls can share it as long as it is in use.
//
// FindFacts must have run on nodes before, and no other code may use them yet. Every node to
// which they point must also be in nodes, or be shared already. Maps need no index of field
// names, because Share builds one for each map that remains.
//
// Two parts of a graph are equal if their own facts are equal and they point to the same parts.
// So Share starts with the parts that point to no others. The parts of a cycle are shared
// together or not at all. Share takes time linear in the number of references.
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
	s.shareComponents()
	for i, n := range nodes {
		nodes[i] = sharedFor(s, n)
	}
}

// shareGroup shares a single part, or a group of parts that can all be reached from each other.
// All other parts to which they point must be shared already.
func (s *sharer) shareGroup(parts []part) {
	for _, p := range parts {
		p.repoint(s)
	}
	if len(parts) == 1 {
		s.shareOne(parts[0])
	} else {
		s.shareCycle(parts)
	}
}

// part is a *Node, a *List or a *Map in a graph.
type part interface {
	// number returns a pointer to the index of the part in sharer.parts.
	number() *int32
	// size returns the number of parts to which this part points, and below returns the part with
	// index i among them. Equal parts point to equal parts in the same order.
	size() int
	below(i int) part
	// same reports whether this part equals another part. It does not compare the parts to which the
	// two point. TestSameComparesEveryField fails if an implementation does not compare a field.
	same(part) bool
	// hash returns a hash of some of the fields that the method same compares.
	hash() intern.Hash
	// repoint replaces each pointer to another part by a pointer to the shared form of that part.
	repoint(*sharer)
	// finish completes a part that becomes a shared part.
	finish()
	// keep returns the shared part that equals this part. If there is none, it makes this part a
	// shared part and returns it.
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
		n.Nullable == o.Nullable && n.Missing == o.Missing && n.HasDefaults == o.HasDefaults && n.MayReplaceNulls == o.MayReplaceNulls &&
		n.ChildTypesExist == o.ChildTypesExist && n.MayReconcile == o.MayReconcile && n.ReconciledItself == o.ReconciledItself && n.HasKeyedLists == o.HasKeyedLists &&
		n.MayPrune == o.MayPrune && n.Transition == o.Transition && n.HasTransitions == o.HasTransitions && n.HasUnions == o.HasUnions && n.Declarative == o.Declarative &&
		(n.List == nil) == (o.List == nil) && (n.Map == nil) == (o.Map == nil) &&
		intern.SamePlain(n.Default, o.Default)
}

func (l *List) same(p part) bool {
	o, ok := p.(*List)
	return ok && l.Relation == o.Relation && l.KeyFault == o.KeyFault && l.Strict == o.Strict && l.Declarative == o.Declarative &&
		slices.Equal(l.KeyNames, o.KeyNames) &&
		slices.EqualFunc(l.Keys, o.Keys, func(a, b Key) bool {
			return a.Name == b.Name && a.NullIsMissing == b.NullIsMissing && a.ZeroIsMissing == b.ZeroIsMissing &&
				intern.SamePlain(a.IfMissing, b.IfMissing)
		}) &&
		intern.SamePlain(l.ItemDefault, o.ItemDefault)
}

func (m *Map) same(p part) bool {
	o, ok := p.(*Map)
	return ok && m.Open == o.Open && m.Atomic == o.Atomic && m.Deduced == o.Deduced && m.Undeclared == o.Undeclared && m.Structural == o.Structural && m.ReconcileBits == o.ReconcileBits &&
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
		h.Plain(l.Keys[i].IfMissing)
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

// addPointer adds the identity of a part to a hash.
func addPointer(h *intern.Hash, p part) {
	switch p := p.(type) {
	case *Node:
		intern.Pointer(h, p)
	case *List:
		intern.Pointer(h, p)
	case *Map:
		intern.Pointer(h, p)
	}
}

// sharer has the parts of the nodes that are passed to Share. For each of these parts, kept has
// the shared part that replaces it, at the same index. Until the shared part is known, kept has
// the part itself.
type sharer struct {
	parts, kept []part
	state       []visited
	open        []part
	visits      []visit
}

// visited is the state of a part in the algorithm of shareComponents.
type visited struct {
	order  int32 // 1 + the position in the order of visits, or 0 if the part was not visited
	low    int32
	closed bool
}

// visit is an unfinished visit to the part in the field of. This part points to other parts. The field
// next is the index of the one to visit next.
type visit struct {
	of   part
	next int
}

// sharers is a pool of sharers, because Share runs once for each type that is looked up.
var sharers = sync.Pool{New: func() any { return &sharer{} }}

// maxParts is the maximum number of parts in a sharer that is kept for reuse.
const maxParts = 1 << 13

// release returns the sharer to the pool, unless it is large.
func (s *sharer) release() {
	if len(s.parts) > maxParts {
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

// add appends a part to s.parts, unless it is already there, and sets its number.
func (s *sharer) add(p part) {
	if s.within(p) < 0 {
		*p.number() = int32(len(s.parts))
		s.parts = append(s.parts, p)
	}
}

// within returns the index of p in s.parts, or -1 if s.parts does not contain p.
func (s *sharer) within(p part) int {
	if at := int(*p.number()); at < len(s.parts) && s.parts[at] == p {
		return at
	}
	return -1
}

// sharedFor returns the shared part for p. A part that is not in s.parts is already shared, so
// sharedFor returns p itself.
func sharedFor[P part](s *sharer, p P) P {
	if at := s.within(p); at >= 0 {
		return s.kept[at].(P)
	}
	return p
}

func (n *Node) repoint(s *sharer) {
	if n.List != nil {
		n.List = sharedFor(s, n.List)
	}
	if n.Map != nil {
		n.Map = sharedFor(s, n.Map)
	}
}

func (l *List) repoint(s *sharer) { l.Item = sharedFor(s, l.Item) }

func (m *Map) repoint(s *sharer) {
	m.Elem = sharedFor(s, m.Elem)
	for i := range m.Fields {
		m.Fields[i].Type = sharedFor(s, m.Fields[i].Type)
	}
}

func (n *Node) finish() {}
func (l *List) finish() {}
func (m *Map) finish() {
	if m.names.isZero() {
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

// shareOne shares a part that is in no cycle. All parts to which it points must be shared
// already.
func (s *sharer) shareOne(p part) {
	h := p.hash()
	for i := range p.size() {
		addPointer(&h, p.below(i))
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

// shareCycle shares the parts of one cycle, or of several overlapping cycles, so that each of
// these parts can be reached from all others. All other parts to which they point must be
// shared already.
//
// To identify the cycle, shareCycle walks it from one of its nodes. The walks through two equal
// cycles must start at equal nodes. So shareCycle starts at the node that sorts first (see
// sortsBefore). If several nodes sort equally, the walks through equal cycles may start at
// different nodes. The cycles are then not shared, which only costs memory.
func (s *sharer) shareCycle(parts []part) {
	var root *Node
	number := make(map[part]int, len(parts))
	for _, p := range parts {
		number[p] = -1
		if n, ok := p.(*Node); ok && (root == nil || n.sortsBefore(root)) {
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
				addPointer(&h, below)
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
		found, same = pairCycles(number, root, kept)
		return same
	}
	if sharedParts.rings.Find(h, same) == nil {
		for _, p := range parts {
			p.finish()
		}
		sharedParts.rings.Keep(root, h, same)
	}
	if found == nil {
		// The cycle is new. But one of its parts may still equal a shared part outside the cycle that
		// points to the same parts.
		for _, p := range parts {
			s.shareOne(p)
		}
	}
	for p, kept := range found {
		s.kept[*p.number()] = kept
	}
}

// sortsBefore defines an order of nodes, by name, transition rule and nullability. shareCycle
// uses it to select a node.
func (n *Node) sortsBefore(other *Node) bool {
	c := cmp.Or(cmp.Compare(n.Type, other.Type), cmp.Compare(n.Transition, other.Transition))
	return c < 0 || c == 0 && !n.Nullable && other.Nullable
}

// pairCycles compares a cycle with a shared cycle. It walks both in parallel, starting at root in
// the first cycle and at kept in the shared cycle. The argument within has the parts of the first
// cycle. If the cycles are equal, pairCycles returns the shared part for each part of the first
// cycle.
func pairCycles(within map[part]int, root, kept part) (map[part]part, bool) {
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

// shareComponents calls shareGroup for each group of parts that can be reached from each other.
// It handles a group only after all other parts that can be reached from it. This is Tarjan's
// algorithm for strongly connected components, without recursion, so that deep graphs need
// little stack.
func (s *sharer) shareComponents() {
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
			s.shareGroup(s.open[from:])
			s.open = s.open[:from]
		}
	}
}
