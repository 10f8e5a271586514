// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"
	"sync"
)

// FindFacts computes the facts of nodes: Sound, ReconciledItself, the Defaulted of their
// maps, and on every node from which a node with them can be reached,
// Defaults, Reconciles, Drops, Keyed, HasTransitions and Unioned. nodes must be all nodes of the graph,
// or all that were added to a graph whose other nodes are marked already.
//
// Types refer to one another in cycles, so the facts are carried against the
// direction of the references until they stop spreading: linear in the number
// of references.
func FindFacts(nodes []*Node) {
	f := finders.Get().(*finder)
	defer f.release()
	f.nodes = nodes
	f.facts = slices.Grow(f.facts[:0], len(nodes))[:len(nodes)]
	f.first = slices.Grow(f.first[:0], len(nodes)+1)[:len(nodes)+1]
	clear(f.first)
	for i, n := range nodes {
		n.slot = int32(i)
	}
	f.findUsers()
	for i, n := range nodes {
		n.Sound = n.sound()
		n.ReconciledItself = n.reconciledItself()
		if n.Map != nil && n.Map.Defaulted == nil {
			n.Map.findDefaulted()
		}
		f.facts[i] = n.facts() | n.ownFacts()
		n.eachBelow(func(below *Node) {
			if f.within(below) < 0 {
				f.facts[i] |= below.facts() & n.passes()
			}
		})
	}
	f.spread()
	for i, n := range nodes {
		n.setFacts(f.facts[i])
	}
	for _, n := range nodes {
		for i := 0; n.Map != nil && i < len(n.Map.Fields); i++ {
			if f := &n.Map.Fields[i]; f.Type.Reconciles {
				n.Map.Reconciles |= nameBit(f.Name)
			}
		}
	}
}

// facts are the facts that nodes take from what is below them.
type facts uint8

const (
	defaults facts = 1 << iota
	reconciles
	drops
	keyed
	hasTransitions
	unioned

	everyFact = 1<<iota - 1
)

// finder carries facts from nodes to their users.
type finder struct {
	nodes []*Node
	facts []facts
	// users of the node i are users[first[i]:first[i+1]].
	first, users []int32
	news         []int32
}

var finders = sync.Pool{New: func() any { return &finder{} }}

func (f *finder) release() {
	if len(f.nodes) <= mostParts {
		f.nodes = nil
		finders.Put(f)
	}
}

// within returns the number of a node, -1 if it is none of those that are looked at.
func (f *finder) within(n *Node) int32 {
	if int(n.slot) < len(f.nodes) && f.nodes[n.slot] == n {
		return n.slot
	}
	return -1
}

func (f *finder) findUsers() {
	for _, n := range f.nodes {
		n.eachBelow(func(below *Node) {
			if at := f.within(below); at >= 0 {
				f.first[at]++
			}
		})
	}
	total := int32(0)
	for i, n := range f.first {
		total += n
		f.first[i] = total
	}
	f.users = slices.Grow(f.users[:0], int(total))[:total]
	for i, n := range f.nodes {
		n.eachBelow(func(below *Node) {
			if at := f.within(below); at >= 0 {
				f.first[at]--
				f.users[f.first[at]] = int32(i)
			}
		})
	}
}

// spread carries the facts to the users of those that have them, to the users of these,
// and on. A node is met again only if it got a fact, of which there are few.
func (f *finder) spread() {
	news := f.news[:0]
	for i := range f.nodes {
		if f.facts[i] != 0 {
			news = append(news, int32(i))
		}
	}
	for len(news) > 0 {
		at := news[len(news)-1]
		news = news[:len(news)-1]
		for _, user := range f.users[f.first[at]:f.first[at+1]] {
			if more := f.facts[at] & f.nodes[user].passes(); more&^f.facts[user] != 0 {
				f.facts[user] |= more
				news = append(news, user)
			}
		}
	}
	f.news = news
}

// passes returns the facts that n takes from what is below it.
func (n *Node) passes() facts {
	if n.Granular() {
		return everyFact
	}
	return everyFact &^ unioned
}

func (n *Node) ownFacts() facts {
	return fact(defaults, n.ownDefaults()) | fact(reconciles, n.reconciles()) | fact(drops, n.drops()) |
		fact(keyed, n.List.HasKeys()) | fact(hasTransitions, n.Transition != Free) |
		fact(unioned, n.Map != nil && n.Map.Unions != nil)
}

func (n *Node) facts() facts {
	return fact(defaults, n.Defaults) | fact(reconciles, n.Reconciles) | fact(drops, n.Drops) |
		fact(keyed, n.Keyed) | fact(hasTransitions, n.HasTransitions) | fact(unioned, n.Unioned)
}

func (n *Node) setFacts(f facts) {
	n.Defaults, n.Drops, n.Keyed = f&defaults != 0, f&drops != 0, f&keyed != 0
	n.HasTransitions, n.Unioned = f&hasTransitions != 0, f&unioned != 0
	// What may stand below it is known by its own fact: see sound.
	n.Reconciles = f&reconciles != 0 || n.Missing || n.Kinds() == 0
}

func fact(f facts, has bool) facts {
	if has {
		return f
	}
	return 0
}

// nameBit is one of 64 bits, which most names of a map do not share.
func nameBit(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((7*len(name) + int(name[0])) & 63)
}

// ToReconcile returns the type of what a field name, or another element, leads to, nil
// if it is not Reconciles. Hardly any field is: most are told by a bit.
func (m *Map) ToReconcile(name *string) *Node {
	t, known := m.Elem, m.Open
	if name != nil && (m.Reconciles&nameBit(*name) != 0 || known && t.Reconciles) {
		if f := m.Field(*name); f != nil {
			t, known = f.Type, true
		}
	}
	if known && t.Reconciles {
		return t
	}
	return nil
}

// reconciles says whether n itself is what Reconciles is about.
func (n *Node) reconciles() bool {
	return n.Declarative || !n.sound() ||
		n.Map != nil && n.Map.Atomic || n.List != nil && n.List.IsAtomic()
}

// drops says whether n itself is what Drops is about. A type that is missing, or
// that allows nothing, knows nothing of what is there.
func (n *Node) drops() bool {
	return !n.Missing && n.Kinds() != 0 && (n.Map == nil || n.List == nil || n.Map.Undeclared != Kept)
}

func (m *Map) findDefaulted() {
	for i := range m.Fields {
		if f := &m.Fields[i]; f.Default != nil || f.Type.Default != nil {
			m.Defaulted = append(m.Defaulted, int32(i))
		}
	}
}

// reconciledItself says whether n itself is ReconciledItself. A type of several kinds is read as the
// first of map, scalar and list.
func (n *Node) reconciledItself() bool {
	switch {
	case n.Missing || n.Declarative || n.Kinds() == 0 || !n.Sound:
		return false
	case n.Map != nil:
		return !n.Map.Atomic
	}
	return n.Scalar != NoScalar || !n.List.IsAtomic()
}

// ownDefaults says whether n itself, or a field of it, has a default.
func (n *Node) ownDefaults() bool {
	return n.Default != nil || n.List != nil && n.List.ItemDefault != nil ||
		n.Map != nil && (n.Map.ElemDefault != nil || len(n.Map.Defaulted) > 0)
}

func (n *Node) eachBelow(f func(*Node)) {
	if n.List != nil {
		f(n.List.Item)
	}
	if n.Map != nil {
		f(n.Map.Elem)
		for i := range n.Map.Fields {
			f(n.Map.Fields[i].Type)
		}
	}
}

// Known says whether the field has a type at all. A field without one is
// passed over where the schema is asked what may be below it.
func (f *Field) Known() bool {
	return f.Type.Missing || f.Type.Kinds() != 0 || f.Type.Nullable || f.Type.Type != ""
}

func (n *Node) sound() bool {
	fits := func(below *Node) bool { return !below.Missing && below.Kinds() != 0 }
	if n.List != nil && !fits(n.List.Item) {
		return false
	}
	if n.Map == nil {
		return true
	}
	for i := range n.Map.Fields {
		if f := &n.Map.Fields[i]; f.Known() && !fits(f.Type) {
			return false
		}
	}
	return !n.Map.Open || fits(n.Map.Elem)
}
