package schema

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Node returns the compiled form of the type that tr refers to, never nil: a
// reference that leads nowhere compiles to a node that says so. It is for the
// packages of this module. Safe for concurrent use.
func (s *Schema) Node(tr TypeRef) *graph.Node {
	policies := s.policies()
	c := &s.computed().compilers[policies]
	key := refKey(tr)
	if done := c.done.Load(); done != nil {
		if n, ok := (*done)[key]; ok {
			return n
		}
	}
	return c.compile(s, policies, tr, key)
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
}

func refKey(tr TypeRef) nodeKey {
	k := nodeKey{nullable: tr.Nullable}
	if tr.NamedType != nil {
		k.name, k.named = *tr.NamedType, true
	} else {
		k.inlined = tr.Inlined
	}
	if tr.ElementRelationship != nil {
		k.relation, k.related = *tr.ElementRelationship, true
	}
	return k
}

// compiler turns references into nodes. What is in done is complete and
// immutable; all is what has been compiled so far, guarded by mu.
type compiler struct {
	done atomic.Pointer[map[nodeKey]*graph.Node]
	mu   sync.Mutex
	all  map[nodeKey]*graph.Node

	schema   *Schema
	policies policies
	queue    []job
	lists    map[*List]*graph.List
	maps     map[*Map]*graph.Map
	fresh    []*graph.Node
}

type job struct {
	node *graph.Node
	ref  TypeRef
}

func (c *compiler) compile(s *Schema, p policies, tr TypeRef, key nodeKey) *graph.Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[nodeKey]*graph.Node{}
		c.lists = map[*List]*graph.List{}
		c.maps = map[*Map]*graph.Map{}
	}
	c.schema, c.policies = s, p
	root := c.ref(tr)
	for len(c.queue) > 0 {
		j := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		c.fill(j.node, j.ref)
	}
	graph.Mark(c.fresh)
	c.fresh = nil

	done := map[nodeKey]*graph.Node{key: root}
	if old := c.done.Load(); old != nil {
		for k, n := range *old {
			done[k] = n
		}
	}
	c.done.Store(&done)
	return root
}

// ref returns the node for a reference. A new one is filled later, from the
// queue, so that neither cycles nor depth cost stack.
func (c *compiler) ref(tr TypeRef) *graph.Node {
	key := refKey(tr)
	if n, ok := c.all[key]; ok {
		return n
	}
	n := &graph.Node{Nullable: tr.Nullable, Declarative: c.policies.has(declarative)}
	if tr.NamedType != nil {
		n.Type = *tr.NamedType
	}
	c.all[key] = n
	c.fresh = append(c.fresh, n)
	c.queue = append(c.queue, job{n, tr})
	return n
}

func (c *compiler) fill(n *graph.Node, tr TypeRef) {
	atom, ok := c.schema.Resolve(tr)
	if !ok {
		n.Missing = true
		return
	}
	if tr.NamedType != nil {
		td, _ := c.schema.FindNamedType(*tr.NamedType)
		n.Default = td.Default
	}
	if atom.Scalar != nil {
		n.Scalar = scalarOf(*atom.Scalar)
		n.ScalarText = string(*atom.Scalar)
	}
	if atom.List != nil {
		n.List = c.list(atom.List)
	}
	if atom.Map != nil {
		n.Map = c.mapping(atom.Map)
	}
}

// untypedDeduced is the name of the type that stands for data without a
// schema. It is part of the schema language.
const untypedDeduced = "__untyped_deduced_"

func scalarOf(s Scalar) graph.Scalar {
	switch s {
	case Numeric:
		return graph.Numeric
	case String:
		return graph.String
	case Boolean:
		return graph.Boolean
	case Untyped:
		return graph.Untyped
	}
	return graph.Invalid
}

func relationOf(r ElementRelationship) graph.Relation {
	switch r {
	case Atomic:
		return graph.Atomic
	case Associative:
		return graph.Associative
	case Separable:
		return graph.Separable
	}
	return graph.Unknown
}

func (c *compiler) list(l *List) *graph.List {
	if g, ok := c.lists[l]; ok {
		return g
	}
	g := &graph.List{
		Relation:    relationOf(l.ElementRelationship),
		KeyNames:    l.Keys,
		Strict:      c.policies.has(strictKeys),
		ItemDefault: l.ElementDefault,
		Declarative: c.policies.has(declarative),
	}
	c.lists[l] = g
	g.Item = c.ref(l.ElementType)
	if len(l.Keys) == 0 {
		return g
	}
	item, ok := c.schema.Resolve(l.ElementType)
	switch {
	case !ok:
		g.KeyFault = "invalid elementType for list"
	case item.Map == nil:
		g.KeyFault = "associative list may not have non-map types"
	}
	g.Keys = make([]graph.Key, len(l.Keys))
	for i, name := range l.Keys {
		k := graph.Key{Name: name}
		if g.KeyFault == "" {
			f, _ := item.Map.FindField(name)
			k.Default = f.Default
			k.NullIsMissing = c.policies.has(declarative) && !f.Type.Nullable
			k.ZeroIsMissing = c.policies.has(declarative) && c.policies.has(zeroKeysUnset) && f.Default != nil
		}
		g.Keys[i] = k
	}
	slices.SortStableFunc(g.Keys, func(a, b graph.Key) int { return strings.Compare(a.Name, b.Name) })
	return g
}

func (c *compiler) mapping(m *Map) *graph.Map {
	if g, ok := c.maps[m]; ok {
		return g
	}
	g := graph.NewMap(nil, nil)
	c.maps[m] = g
	g.Elem = c.ref(m.ElementType)
	g.Open = m.ElementType != (TypeRef{})
	g.Atomic = m.ElementRelationship == Atomic
	g.Deduced = m.Fields == nil && isDeduced(m.ElementType)
	g.ElemDefault = m.ElementDefault
	fields := make([]graph.Field, 0, len(m.Fields))
	for i := range m.Fields {
		// The last of several fields with one name counts.
		f, _ := m.FindField(m.Fields[i].Name)
		fields = append(fields, graph.Field{Name: f.Name, Type: c.ref(f.Type), Default: f.Default})
	}
	slices.SortStableFunc(fields, func(a, b graph.Field) int { return strings.Compare(a.Name, b.Name) })
	fields = slices.CompactFunc(fields, func(a, b graph.Field) bool { return a.Name == b.Name })
	g.SetFields(fields)
	return g
}

func isDeduced(tr TypeRef) bool {
	if tr.NamedType != nil {
		return *tr.NamedType == untypedDeduced
	}
	return tr.Inlined.Scalar != nil && *tr.Inlined.Scalar == Untyped
}
