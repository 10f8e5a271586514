// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// Mark computes the facts of nodes: Sound, Steady, the Defaulted and Restless of
// their maps, and on every node from which a node with them can be reached,
// Defaults, Restless, Drops, Keyed and Marked. nodes must be all nodes of the graph,
// or all that were added to a graph whose other nodes are marked already.
//
// Types refer to one another in cycles, so the facts are carried against the
// direction of the references until they stop spreading: linear in the number
// of references.
func Mark(nodes []*Node) {
	users := make(map[*Node][]*Node, len(nodes))
	for _, n := range nodes {
		n.eachBelow(func(below *Node) { users[below] = append(users[below], n) })
	}
	for _, n := range nodes {
		n.Sound = n.sound()
		n.Defaults = n.Defaults || n.ownDefaults()
		n.Restless = n.Restless || n.restless()
		n.Drops = n.Drops || n.drops()
		n.Steady = n.steady()
		n.Keyed = n.Keyed || n.List.HasKeys()
		n.Marked = n.Marked || n.Transition != Free
		if n.Map != nil && n.Map.Defaulted == nil {
			n.Map.findDefaulted()
		}
	}
	spread(users, func(n *Node) *bool { return &n.Defaults })
	spread(users, func(n *Node) *bool { return &n.Restless })
	spread(users, func(n *Node) *bool { return &n.Drops })
	spread(users, func(n *Node) *bool { return &n.Keyed })
	spread(users, func(n *Node) *bool { return &n.Marked })
	for _, n := range nodes {
		// What may stand below it is known by its own fact: see sound.
		n.Restless = n.Restless || n.Missing || n.Kinds() == 0
	}
	for _, n := range nodes {
		if n.Map != nil && n.Map.Restless == nil && !n.Map.ManyRestless {
			n.Map.findRestless()
		}
	}
}

// spread gives every node a fact that one below it has.
func spread(users map[*Node][]*Node, fact func(*Node) *bool) {
	var having []*Node
	for below := range users {
		if *fact(below) {
			having = append(having, below)
		}
	}
	for len(having) > 0 {
		n := having[len(having)-1]
		having = having[:len(having)-1]
		for _, u := range users[n] {
			if has := fact(u); !*has {
				*has = true
				having = append(having, u)
			}
		}
	}
}

// restless says whether n itself is what Restless is about.
func (n *Node) restless() bool {
	return n.Declarative || !n.sound() ||
		n.Map != nil && n.Map.Atomic || n.List != nil && n.List.Relation == Atomic
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

func (m *Map) findRestless() {
	count := 0
	for i := range m.Fields {
		if m.Fields[i].Type.Restless {
			count++
		}
	}
	if m.ManyRestless = count > FewRestless; m.ManyRestless || count == 0 {
		return
	}
	m.Restless = make([]int32, 0, count)
	for i := range m.Fields {
		if m.Fields[i].Type.Restless {
			m.Restless = append(m.Restless, int32(i))
		}
	}
}

// steady says whether n itself is Steady. A type of several kinds is read as the
// first of map, scalar and list.
func (n *Node) steady() bool {
	switch {
	case n.Missing || n.Declarative || n.Kinds() == 0 || !n.Sound:
		return false
	case n.Map != nil:
		return !n.Map.Atomic
	}
	return n.Scalar != NoScalar || n.List.Relation != Atomic
}

func (n *Node) ownDefaults() bool {
	if n.Default != nil {
		return true
	}
	if n.List != nil && n.List.ItemDefault != nil {
		return true
	}
	if n.Map == nil {
		return false
	}
	if n.Map.ElemDefault != nil {
		return true
	}
	for i := range n.Map.Fields {
		if n.Map.Fields[i].Default != nil {
			return true
		}
	}
	return false
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
