// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Node returns the compiled form of the type that tr refers to, never nil: a
// reference that leads nowhere compiles to a node that says so. It is for the
// packages of this module. Safe for concurrent use.
func (s *Schema) Node(tr TypeRef) *graph.Node {
	policies := s.policies()
	st := s.computed()
	c := st.compilers[policies].Load()
	if c == nil {
		c = &compiler{named: make([]atomic.Pointer[graph.Node], len(st.types))}
		if !st.compilers[policies].CompareAndSwap(nil, c) {
			c = st.compilers[policies].Load()
		}
	}
	key := refKey(tr)
	i := st.plain(key)
	if n := c.find(i, key); n != nil {
		return n
	}
	return c.compile(s, policies, tr, key, i)
}

// nodeKey is a reference with everything that makes one node differ from
// another. Inlined types are known by the addresses of their parts.
type nodeKey struct {
	name     string
	named    bool
	inlined  Atom
	relation ElementRelationship
	related  bool
	nullable bool
	// transition is what the reference says, not the type.
	transition graph.Transition
}

func refKey(tr TypeRef) nodeKey {
	k := nodeKey{nullable: tr.Nullable, transition: transitionOf(tr.Transition)}
	if tr.NamedType != nil {
		k.name, k.named = *tr.NamedType, true
	} else {
		k.inlined = tr.Inlined
		k.inlined.Scalar = knownScalar(tr.Inlined.Scalar)
	}
	if tr.ElementRelationship != nil {
		k.relation, k.related = *tr.ElementRelationship, true
	}
	return k
}

// compiler holds what has been compiled of a schema: types by their number, and
// the references that were asked for and are more than a name. All of it is
// complete and immutable. What else there is would be found again by its nodes'
// being shared, see [graph.Share], and is not kept.
type compiler struct {
	mu     sync.Mutex // held while compiling
	named  []atomic.Pointer[graph.Node]
	others references
}

// find returns what a reference was compiled to, nil if it was not. i is the
// number of the type that it is plainly to, or -1.
func (c *compiler) find(i int, key nodeKey) *graph.Node {
	if i >= 0 {
		return c.named[i].Load()
	}
	return c.others.find(key)
}

func (c *compiler) compile(s *Schema, p policies, tr TypeRef, key nodeKey, i int) *graph.Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.find(i, key); n != nil {
		return n
	}
	if i < 0 {
		if n := c.others.findRecent(key); n != nil {
			return n
		}
	}
	st := s.computed()
	r := run{
		schema: s, state: st, policies: p, known: c,
		nodes: map[nodeKey]*graph.Node{}, lists: map[*List]*graph.List{}, maps: map[*Map]*graph.Map{},
	}
	root := r.ref(tr)
	for len(r.queue) > 0 {
		j := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.fill(j.node, j.ref)
	}
	graph.Mark(r.fresh)
	shared := graph.Share(r.fresh)
	for k, n := range r.nodes {
		if i := st.plain(k); i >= 0 {
			c.named[i].Store(shared(n))
		}
	}
	root = shared(root)
	if i >= 0 {
		return root
	}
	c.others.add(key, root)
	return root
}

// plain returns the number of the type that a reference is to, -1 if there is
// none or if the reference says more than a name.
func (st *state) plain(k nodeKey) int {
	if !k.named || k.related || k.nullable || k.transition != graph.Free {
		return -1
	}
	return st.find(k.name)
}
