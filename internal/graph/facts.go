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
		n.Sound = n.sound()
		n.Steady = n.steady()
		if n.Map != nil && n.Map.Defaulted == nil {
			n.Map.findDefaulted()
		}
	}
	for _, fact := range []struct {
		of  func(*Node) *bool
		own func(*Node) bool
	}{
		{func(n *Node) *bool { return &n.Defaults }, (*Node).ownDefaults},
		{func(n *Node) *bool { return &n.Restless }, (*Node).restless},
		{func(n *Node) *bool { return &n.Drops }, (*Node).drops},
		{func(n *Node) *bool { return &n.Keyed }, func(n *Node) bool { return n.List.HasKeys() }},
		{func(n *Node) *bool { return &n.Marked }, func(n *Node) bool { return n.Transition != Free }},
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
			*fact.of(n) = true
			return !had
		})
	}
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

// restless says whether n itself is what Restless is about.
func (n *Node) restless() bool {
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
	return n.Scalar != NoScalar || !n.List.IsAtomic()
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
