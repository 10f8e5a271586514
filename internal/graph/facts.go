// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"
	"sync"
)

// FindFacts computes facts about nodes. Some facts depend only on the node itself and the types
// of its fields and items: ChildTypesExist, ReconciledItself and, for each map, Defaulted and
// ReconcileBits. Other facts depend on all nodes that can be reached from the node:
// HasDefaults, MayReplaceNulls, MayReconcile, MayPrune, HasKeyedLists, HasTransitions and
// HasUnions. nodes must contain all nodes of the graph, except those whose facts are already
// computed.
//
// Because types can refer to each other in cycles, FindFacts passes facts on from each node to
// the nodes that refer to it, until nothing changes. This takes time linear in the number of
// references.
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
		n.ChildTypesExist = n.childTypesExist()
		n.ReconciledItself = n.reconciledItself()
		if n.Map != nil && n.Map.Defaulted == nil {
			n.Map.findDefaulted()
		}
		f.facts[i] = n.facts() | n.ownFacts()
		n.eachChild(func(below *Node) {
			if f.within(below) < 0 {
				f.facts[i] |= below.facts() & n.inheritedFacts()
			}
		})
	}
	f.spread()
	for i, n := range nodes {
		n.setFacts(f.facts[i])
	}
	for _, n := range nodes {
		for i := 0; n.Map != nil && i < len(n.Map.Fields); i++ {
			if f := &n.Map.Fields[i]; f.Type.MayReconcile {
				n.Map.ReconcileBits |= nameBit(f.Name)
			}
		}
	}
}

// facts is the set of facts that a node inherits from the nodes that it points to.
type facts uint8

const (
	defaults facts = 1 << iota
	replacesNulls
	reconciles
	drops
	hasKeyedLists
	hasTransitions
	hasUnions

	everyFact = 1<<iota - 1
)

// finder passes facts on from nodes to the nodes that point to them.
type finder struct {
	nodes []*Node
	facts []facts
	// The nodes that point to node i are users[first[i]:first[i+1]].
	first, users []int32
	pending      []int32
}

var finders = sync.Pool{New: func() any { return &finder{} }}

// release returns the finder to the pool, unless it is large.
func (f *finder) release() {
	if len(f.nodes) <= maxParts {
		f.nodes = nil
		finders.Put(f)
	}
}

// within returns the index of n in f.nodes, or -1 if f.nodes does not contain n.
func (f *finder) within(n *Node) int32 {
	if int(n.slot) < len(f.nodes) && f.nodes[n.slot] == n {
		return n.slot
	}
	return -1
}

// findUsers finds, for each node, the nodes that point to it.
func (f *finder) findUsers() {
	for _, n := range f.nodes {
		n.eachChild(func(below *Node) {
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
		n.eachChild(func(below *Node) {
			if at := f.within(below); at >= 0 {
				f.first[at]--
				f.users[f.first[at]] = int32(i)
			}
		})
	}
}

// spread passes the facts of each node on to the nodes that point to it, directly or through
// other nodes. It visits a node again only if the node got a new fact. A node has few facts, so
// each node is visited only a few times.
func (f *finder) spread() {
	pending := f.pending[:0]
	for i := range f.nodes {
		if f.facts[i] != 0 {
			pending = append(pending, int32(i))
		}
	}
	for len(pending) > 0 {
		at := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, user := range f.users[f.first[at]:f.first[at+1]] {
			if more := f.facts[at] & f.nodes[user].inheritedFacts(); more&^f.facts[user] != 0 {
				f.facts[user] |= more
				pending = append(pending, user)
			}
		}
	}
	f.pending = pending
}

// inheritedFacts returns the facts that n inherits from the types of its fields and items.
func (n *Node) inheritedFacts() facts {
	if n.Granular() {
		return everyFact
	}
	return everyFact &^ hasUnions
}

// ownFacts returns the facts that follow from n itself, and not from the types of its fields
// and items.
func (n *Node) ownFacts() facts {
	return fact(defaults, n.ownDefaults()) | fact(replacesNulls, !n.KeepsNull()) | fact(reconciles, n.reconciles()) | fact(drops, n.drops()) |
		fact(hasKeyedLists, n.List.HasKeys()) | fact(hasTransitions, n.Transition != Free) |
		fact(hasUnions, n.Map != nil && n.Map.Unions != nil)
}

// facts returns the facts that are already set on n.
func (n *Node) facts() facts {
	return fact(defaults, n.HasDefaults) | fact(replacesNulls, n.MayReplaceNulls) | fact(reconciles, n.MayReconcile) | fact(drops, n.MayPrune) |
		fact(hasKeyedLists, n.HasKeyedLists) | fact(hasTransitions, n.HasTransitions) | fact(hasUnions, n.HasUnions)
}

// setFacts sets the facts of n.
func (n *Node) setFacts(f facts) {
	n.HasDefaults, n.MayReplaceNulls = f&defaults != 0, f&replacesNulls != 0
	n.MayPrune, n.HasKeyedLists = f&drops != 0, f&hasKeyedLists != 0
	n.HasTransitions, n.HasUnions = f&hasTransitions != 0, f&hasUnions != 0
	// A type that does not exist, or that allows no value, also needs reconciliation.
	n.MayReconcile = f&reconciles != 0 || n.Missing || n.Kinds() == 0
}

func fact(f facts, has bool) facts {
	if has {
		return f
	}
	return 0
}

// nameBit returns a number with a single set bit, which is a cheap hash of the name. Two fields
// of a map rarely have the same bit.
func nameBit(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((7*len(name) + int(name[0])) & 63)
}

// ToReconcile returns the type of the field with the given name, or the type of undeclared fields
// if name is nil. It returns nil if field sets of this type never need reconciliation. This is so
// for nearly all fields, and ToReconcile usually checks it with a single bit of m.
func (m *Map) ToReconcile(name *string) *Node {
	t, known := m.Elem, m.Open
	if name != nil && (m.ReconcileBits&nameBit(*name) != 0 || known && t.MayReconcile) {
		if f := m.Field(*name); f != nil {
			t, known = f.Type, true
		}
	}
	if known && t.MayReconcile {
		return t
	}
	return nil
}

// reconciles reports whether n itself needs reconciliation, whatever the types of its fields
// and items.
func (n *Node) reconciles() bool {
	return n.Declarative || !n.childTypesExist() ||
		n.Map != nil && n.Map.Atomic || n.List != nil && n.List.IsAtomic()
}

// drops reports whether pruning a value of type n may remove fields, whatever the types of its
// fields and items. It returns false for a type that is missing or allows no value.
func (n *Node) drops() bool {
	return !n.Missing && n.Kinds() != 0 && (n.Map == nil || n.List == nil || n.Map.Undeclared != Kept)
}

// findDefaulted computes m.Defaulted.
func (m *Map) findDefaulted() {
	for i := range m.Fields {
		if f := &m.Fields[i]; f.Default != nil || f.Type.Default != nil {
			m.Defaulted = append(m.Defaulted, int32(i))
		}
	}
}

// reconciledItself computes ReconciledItself. If a type allows several kinds, the first one
// decides, in the order map, scalar, list.
func (n *Node) reconciledItself() bool {
	switch {
	case n.Missing || n.Declarative || n.Kinds() == 0 || !n.ChildTypesExist:
		return false
	case n.Map != nil:
		return !n.Map.Atomic
	}
	return n.Scalar != NoScalar || !n.List.IsAtomic()
}

// ownDefaults reports whether n has a default, or declares a default for its fields or items.
func (n *Node) ownDefaults() bool {
	return n.Default != nil || n.List != nil && n.List.ItemDefault != nil ||
		n.Map != nil && (n.Map.ElemDefault != nil || len(n.Map.Defaulted) > 0)
}

// eachChild calls f for the type of each field and item of n.
func (n *Node) eachChild(f func(*Node)) {
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

// HasType reports whether the field has a type. A field without a type is treated as undeclared.
func (f *Field) HasType() bool {
	return f.Type.Missing || f.Type.Kinds() != 0 || f.Type.Nullable || f.Type.Type != ""
}

// childTypesExist computes ChildTypesExist.
func (n *Node) childTypesExist() bool {
	fits := func(below *Node) bool { return !below.Missing && below.Kinds() != 0 }
	if n.List != nil && !fits(n.List.Item) {
		return false
	}
	if n.Map == nil {
		return true
	}
	for i := range n.Map.Fields {
		if f := &n.Map.Fields[i]; f.HasType() && !fits(f.Type) {
			return false
		}
	}
	return !n.Map.Open || fits(n.Map.Elem)
}
