// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Other packages of this module call these functions through internal/compiled.
func init() {
	graph.SchemaNode = (*Schema).node
	graph.SchemaShare = (*Schema).shareTypes
}

// node returns the compiled form of the type that tr refers to. The result is never nil: for a missing
// type, node returns a node with Missing set. All types of a nil schema are missing. node is safe for
// concurrent use.
func (s *Schema) node(tr TypeRef) *graph.Node {
	if s == nil {
		return &graph.Node{Missing: true}
	}
	policies := s.policies()
	st := s.computed()
	c := st.compilers[policies].Load()
	if c == nil {
		st.compilers[policies].CompareAndSwap(nil, &compiler{named: make([]atomic.Pointer[graph.Node], len(st.types)), others: map[nodeKey]*graph.Node{}})
		c = st.compilers[policies].Load()
	}
	key := refKey(tr)
	i := st.plainIndex(tr)
	if n := c.find(i, key); n != nil {
		return n
	}
	return c.compile(s, policies, tr, key, i)
}

// nodeKey identifies the compiled node of a type reference. An inlined type is identified by
// the addresses of its parts.
type nodeKey struct {
	name     string
	named    bool
	inlined  Atom
	relation ElementRelationship
	related  bool
	nullable bool
	// transition is the transition rule of the reference, and not of the type that it refers to.
	transition graph.Transition
}

func refKey(tr TypeRef) nodeKey {
	k := nodeKey{nullable: tr.Nullable, transition: transitionOf(tr.Transition)}
	if tr.NamedType != nil {
		k.name, k.named = *tr.NamedType, true
	} else {
		k.inlined = tr.Inlined
		k.inlined.Scalar = known(knownScalars, tr.Inlined.Scalar)
	}
	if tr.ElementRelationship != nil {
		k.relation, k.related = *tr.ElementRelationship, true
	}
	return k
}

// compiler caches the compiled nodes of a schema. named has the nodes of named types, at the
// index of the type. others has the nodes of other references that callers requested. All cached
// nodes are complete and immutable. References inside types are not cached, because compiling
// them again returns the shared nodes (see [graph.Share]).
type compiler struct {
	mu    sync.Mutex // held while compiling
	named []atomic.Pointer[graph.Node]

	reading sync.RWMutex // guards the map others; it is held only during a lookup
	others  map[nodeKey]*graph.Node
}

// maxReferences is the maximum number of references in compiler.others. Without this limit, a
// program that passes a new inlined reference in each call would run out of memory.
const maxReferences = 4096

// find returns the cached node of a reference, or nil. i is the index that state.plainIndex
// returns for the reference.
func (c *compiler) find(i int, key nodeKey) *graph.Node {
	if i >= 0 {
		return c.named[i].Load()
	}
	c.reading.RLock()
	defer c.reading.RUnlock()
	return c.others[key]
}

func (c *compiler) compile(s *Schema, p policies, tr TypeRef, key nodeKey, i int) *graph.Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.find(i, key); n != nil {
		return n
	}
	st := s.computed()
	r := runs.Get().(*run)
	defer r.release()
	r.schema, r.state, r.policies, r.known = s, st, p, c
	r.named = slices.Grow(r.named, len(st.types))[:len(st.types)]
	r.ref(tr)
	for len(r.queue) > 0 {
		j := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.fill(j)
	}
	graph.FindFacts(r.fresh)
	graph.Share(r.fresh)
	for i, at := range r.named {
		if at > 0 {
			c.named[i].Store(r.fresh[at-1])
		}
	}
	root := r.fresh[0]
	if i < 0 {
		c.reading.Lock()
		defer c.reading.Unlock()
		if len(c.others) >= maxReferences {
			clear(c.others)
		}
		c.others[key] = root
	}
	return root
}

// plainIndex returns the index of the named type that tr refers to. It returns -1 if there is no
// such type, or if tr has any property besides the name.
func (st *state) plainIndex(tr TypeRef) int {
	if tr.NamedType == nil || tr.ElementRelationship != nil || tr.Nullable || transitionOf(tr.Transition) != graph.Free {
		return -1
	}
	return st.find(*tr.NamedType)
}

// run is one compilation of a type reference and of all types reachable from it. It collects the
// new nodes in fresh. The values in named, scalars and others are 1 + the index of a node in fresh,
// or 0 if there is no node yet.
type run struct {
	schema   *Schema
	state    *state
	policies policies
	known    *compiler // the nodes that earlier runs compiled
	queue    []job
	named    []int32           // named types by their index
	scalars  [4]int32          // scalars in the order of knownScalars
	others   map[nodeKey]int32 // all other references
	lists    map[*List]*graph.List
	maps     map[*Map]*graph.Map
	fresh    []*graph.Node
	sorted   []*StructField
}

// runs is a pool of run values, because compiling a type needs one.
var runs = sync.Pool{New: func() any {
	return &run{others: map[nodeKey]int32{}, lists: map[*List]*graph.List{}, maps: map[*Map]*graph.Map{}}
}}

// mostFresh is the number of nodes above which a run is not returned to the pool.
const mostFresh = 1 << 12

func (r *run) release() {
	if len(r.fresh) > mostFresh {
		return
	}
	clear(r.named)
	clear(r.others)
	clear(r.lists)
	clear(r.maps)
	clear(r.fresh)
	clear(r.queue[:cap(r.queue)])
	clear(r.sorted[:cap(r.sorted)])
	*r = run{queue: r.queue[:0], named: r.named[:0], others: r.others, lists: r.lists, maps: r.maps, fresh: r.fresh[:0], sorted: r.sorted}
	runs.Put(r)
}

// job is a node that must still be filled in from its type reference. i is the index that
// state.plainIndex returns for the reference.
type job struct {
	node *graph.Node
	ref  TypeRef
	i    int
}

// ref returns the node for a type reference. If the node is new, ref adds it to a queue, and
// compile fills it in later. The queue avoids recursion, so cycles and deep schemas are no
// problem.
func (r *run) ref(tr TypeRef) *graph.Node {
	i := r.state.plainIndex(tr)
	at := r.slot(tr, i)
	if at == nil {
		key := refKey(tr)
		if at := r.others[key]; at > 0 {
			return r.fresh[at-1]
		}
		n := r.node(tr, i)
		r.others[key] = int32(len(r.fresh))
		return n
	}
	if *at > 0 {
		return r.fresh[*at-1]
	}
	if i >= 0 {
		if n := r.known.named[i].Load(); n != nil {
			return n
		}
	}
	n := r.node(tr, i)
	*at = int32(len(r.fresh))
	return n
}

// slot returns a pointer to the slot for the node of a type reference. Only plain references to
// named types and plain scalars have slots. Most references are of these kinds, and a slot is
// faster than a map. For all other references, slot returns nil.
func (r *run) slot(tr TypeRef, i int) *int32 {
	if i >= 0 {
		return &r.named[i]
	}
	if s := tr.Inlined.Scalar; s != nil && tr == (TypeRef{Inlined: Atom{Scalar: s}}) {
		for i, k := range knownScalars {
			if *k == *s {
				return &r.scalars[i]
			}
		}
	}
	return nil
}

func (r *run) node(tr TypeRef, i int) *graph.Node {
	n := &graph.Node{Nullable: tr.Nullable, Transition: transitionOf(tr.Transition), Declarative: r.policies.has(declarative)}
	if tr.NamedType != nil {
		n.Type = *tr.NamedType
	}
	r.fresh = append(r.fresh, n)
	r.queue = append(r.queue, job{n, tr, i})
	return n
}

func (r *run) fill(j job) {
	n, tr := j.node, j.ref
	atom := tr.Inlined
	if j.i >= 0 {
		atom = r.state.types[j.i].Atom
	} else if tr.NamedType != nil || tr.ElementRelationship != nil {
		var ok bool
		if atom, ok = r.schema.Resolve(tr); !ok {
			n.Missing = true
			return
		}
	}
	if tr.NamedType != nil {
		if j.i < 0 {
			j.i = r.state.find(*tr.NamedType)
		}
		td := &r.state.types[j.i]
		n.Default = td.Default
		if n.Transition == graph.Free {
			n.Transition = transitionOf(td.Transition)
		}
	}
	if atom.Scalar != nil {
		n.ScalarText = string(*atom.Scalar)
		if n.Scalar = scalars[*atom.Scalar]; n.Scalar == graph.NoScalar {
			n.Scalar = graph.Invalid
		}
	}
	if atom.List != nil {
		n.List = r.list(atom.List)
	}
	if atom.Map != nil {
		n.Map = r.mapping(atom.Map)
	}
}

// The schema language reserves these type names. untypedDeduced is the type of data without a
// schema, and untypedAtomic is the type of list items in such data.
const (
	untypedDeduced = "__untyped_deduced_"
	untypedAtomic  = "__untyped_atomic_"
)

var scalars = map[Scalar]graph.Scalar{Numeric: graph.Numeric, String: graph.String, Boolean: graph.Boolean, Untyped: graph.Untyped}

// relations maps each ElementRelationship to its graph.Relation. For any other string, it
// returns graph.Unknown, the zero value.
var relations = map[ElementRelationship]graph.Relation{Atomic: graph.Atomic, Associative: graph.Associative, Separable: graph.Separable}

// unknownFields maps each UnknownFieldPolicy to its graph.Undeclared.
var unknownFields = map[UnknownFieldPolicy]graph.Undeclared{PruneUnknown: graph.Dropped, PreserveUnknown: graph.Kept, ShallowUnknown: graph.KeptShallow}

func transitionOf(t Transition) graph.Transition {
	if t.rule().Name != "" {
		return graph.Transition(t)
	}
	return graph.Free
}

func (r *run) list(l *List) *graph.List {
	if g, ok := r.lists[l]; ok {
		return g
	}
	g := &graph.List{
		Relation:    relations[l.ElementRelationship],
		KeyNames:    l.Keys,
		Strict:      r.policies.has(strictKeys),
		ItemDefault: l.ElementDefault,
		Declarative: r.policies.has(declarative),
	}
	r.lists[l] = g
	g.Item = r.ref(l.ElementType)
	if len(l.Keys) == 0 {
		return g
	}
	item, ok := r.schema.Resolve(l.ElementType)
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
			k.IfMissing = r.schema.nearestDefault(f.Default, f.Type)
			k.NullIsMissing = r.policies.has(declarative) && !f.Type.Nullable
			k.ZeroIsMissing = r.policies.has(declarative) && r.policies.has(zeroKeysUnset) && k.IfMissing != nil
		}
		g.Keys[i] = k
	}
	slices.SortStableFunc(g.Keys, func(a, b graph.Key) int { return strings.Compare(a.Name, b.Name) })
	return g
}

func (r *run) mapping(m *Map) *graph.Map {
	if g, ok := r.maps[m]; ok {
		return g
	}
	g := graph.NewMap(nil, nil)
	r.maps[m] = g
	g.Elem = r.ref(m.ElementType)
	g.Open = m.ElementType != (TypeRef{})
	g.Atomic = m.ElementRelationship.IsAtomic()
	g.Deduced = m.Fields == nil && isDeduced(m.ElementType)
	g.ElemDefault = m.ElementDefault
	if g.Undeclared, g.Structural = unknownFields[m.UnknownFields]; !g.Structural && g.Open {
		g.Undeclared = graph.Kept
	}
	if all := unions(m); all != nil {
		g.Unions = &all
	}
	g.Declare(r.fields(m))
	return g
}

// fields returns the declared fields sorted by name. If several fields have the same name, it
// returns only the last of them.
func (r *run) fields(m *Map) []graph.Field {
	byName := func(a, b *StructField) int { return strings.Compare(a.Name, b.Name) }
	order := r.sorted[:0]
	for i := range m.Fields {
		order = append(order, &m.Fields[i])
	}
	r.sorted = order
	if !slices.IsSortedFunc(order, byName) {
		slices.SortStableFunc(order, byName)
	}
	fields := make([]graph.Field, 0, len(order))
	for i, f := range order {
		if i+1 < len(order) && order[i+1].Name == f.Name {
			continue
		}
		fields = append(fields, graph.Field{Name: f.Name, Type: r.ref(f.Type), Default: f.Default})
	}
	return fields
}

func isDeduced(tr TypeRef) bool {
	if tr.NamedType != nil {
		return *tr.NamedType == untypedDeduced
	}
	return tr.Inlined.Scalar != nil && *tr.Inlined.Scalar == Untyped
}

// unions returns the unions of a map in compiled form. It returns no unions for an atomic
// map, because such a map is replaced as a whole.
func unions(m *Map) (all []graph.Union) {
	if m.ElementRelationship.IsAtomic() {
		return nil
	}
	for _, u := range m.Unions {
		var out graph.Union
		if u.Discriminator != nil {
			out.Discriminator = *u.Discriminator
		}
		for _, f := range u.Fields {
			out.Members = append(out.Members, graph.Member{Name: f.FieldName, Value: f.DiscriminatorValue})
		}
		all = append(all, out)
	}
	return all
}
