// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// FindFacts computes the facts of nodes: Sound, ReconciledItself, the Defaulted of their
// maps, and on every node from which a node with them can be reached,
// Defaults, Reconciles, Drops, Keyed, HasTransitions and Unioned. nodes must be all nodes of the graph,
// or all that were added to a graph whose other nodes are marked already.
//
// Types refer to one another in cycles, so the facts are carried against the
// direction of the references until they stop spreading: linear in the number
// of references.
func FindFacts(nodes []*Node) {
	users := make(map[*Node][]*Node, len(nodes))
	for _, n := range nodes {
		n.eachBelow(func(below *Node) { users[below] = append(users[below], n) })
		n.Sound = n.sound()
		n.ReconciledItself = n.reconciledItself()
		if n.Map != nil && n.Map.Defaulted == nil {
			n.Map.findDefaulted()
		}
	}
	always := func(*Node) bool { return true }
	for _, fact := range []struct {
		of  func(*Node) *bool
		own func(*Node) bool
		// through says whether a node takes the fact from what is below it.
		through func(*Node) bool
	}{
		{func(n *Node) *bool { return &n.Defaults }, (*Node).ownDefaults, always},
		{func(n *Node) *bool { return &n.Reconciles }, (*Node).reconciles, always},
		{func(n *Node) *bool { return &n.Drops }, (*Node).drops, always},
		{func(n *Node) *bool { return &n.Keyed }, func(n *Node) bool { return n.List.HasKeys() }, always},
		{func(n *Node) *bool { return &n.HasTransitions }, func(n *Node) bool { return n.Transition != Free }, always},
		{func(n *Node) *bool { return &n.Unioned }, func(n *Node) bool { return n.Map != nil && n.Map.Unions != nil }, (*Node).Granular},
	} {
		var having []*Node
		for _, n := range nodes {
			*fact.of(n) = *fact.of(n) || fact.own(n)
		}
		for below := range users {
			if *fact.of(below) {
				having = append(having, below)
			}
		}
		Spread(having, users, func(n *Node) bool {
			had := *fact.of(n)
			*fact.of(n) = had || fact.through(n)
			return !had && *fact.of(n)
		})
	}
	for _, n := range nodes {
		// What may stand below it is known by its own fact: see sound.
		n.Reconciles = n.Reconciles || n.Missing || n.Kinds() == 0
	}
	for _, n := range nodes {
		for i := 0; n.Map != nil && i < len(n.Map.Fields); i++ {
			if f := &n.Map.Fields[i]; f.Type.Reconciles {
				n.Map.Reconciles |= nameBit(f.Name)
			}
		}
	}
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

// Spread carries a fact from those that have it to their users, to the users of
// these, and on. get gives it to one of them and says whether that is news.
func Spread[T comparable](having []T, users map[T][]T, get func(T) bool) {
	for len(having) > 0 {
		one := having[len(having)-1]
		having = having[:len(having)-1]
		for _, user := range users[one] {
			if get(user) {
				having = append(having, user)
			}
		}
	}
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
