// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// run turns references into nodes.
type run struct {
	schema   *Schema
	state    *state
	policies policies
	known    *compiler // what was compiled before
	queue    []job
	nodes    map[nodeKey]*graph.Node
	lists    map[*List]*graph.List
	maps     map[*Map]*graph.Map
	fresh    []*graph.Node
}

type job struct {
	node *graph.Node
	ref  TypeRef
}

// ref returns the node for a reference. A new one is filled later, from the
// queue, so that neither cycles nor depth cost stack.
func (r *run) ref(tr TypeRef) *graph.Node {
	key := refKey(tr)
	if n, ok := r.nodes[key]; ok {
		return n
	}
	if i := r.state.plain(key); i >= 0 {
		if n := r.known.named[i].Load(); n != nil {
			return n
		}
	}
	n := &graph.Node{Nullable: tr.Nullable, Transition: key.transition, Declarative: r.policies.has(declarative)}
	if tr.NamedType != nil {
		n.Type = *tr.NamedType
	}
	r.nodes[key] = n
	r.fresh = append(r.fresh, n)
	r.queue = append(r.queue, job{n, tr})
	return n
}

func (r *run) fill(n *graph.Node, tr TypeRef) {
	atom, ok := r.schema.Resolve(tr)
	if !ok {
		n.Missing = true
		return
	}
	if tr.NamedType != nil {
		td, _ := r.schema.FindNamedType(*tr.NamedType)
		n.Default = td.Default
		if n.Transition == graph.Free {
			n.Transition = transitionOf(td.Transition)
		}
	}
	if atom.Scalar != nil {
		n.Scalar = scalarOf(*atom.Scalar)
		n.ScalarText = string(*atom.Scalar)
	}
	if atom.List != nil {
		n.List = r.list(atom.List)
	}
	if atom.Map != nil {
		n.Map = r.mapping(atom.Map)
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

func transitionOf(t Transition) graph.Transition {
	switch t {
	case Immutable:
		return graph.Immutable
	case ImmutableKeys:
		return graph.ImmutableKeys
	case AdditionOnly:
		return graph.AdditionOnly
	case DeletionOnly:
		return graph.DeletionOnly
	case SetOnce:
		return graph.SetOnce
	}
	return graph.Free
}

func (r *run) list(l *List) *graph.List {
	if g, ok := r.lists[l]; ok {
		return g
	}
	g := &graph.List{
		Relation:    relationOf(l.ElementRelationship),
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
			k.Absent = f.Default
			k.NullIsMissing = r.policies.has(declarative) && !f.Type.Nullable
			k.ZeroIsMissing = r.policies.has(declarative) && r.policies.has(zeroKeysUnset) && f.Default != nil
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
	g.Atomic = m.ElementRelationship == Atomic
	g.Deduced = m.Fields == nil && isDeduced(m.ElementType)
	g.ElemDefault = m.ElementDefault
	g.Undeclared, g.Structural = undeclared(m)
	g.SetFields(r.fields(m))
	return g
}

// undeclared returns what becomes of undeclared fields, and whether m says so.
func undeclared(m *Map) (graph.Undeclared, bool) {
	switch m.UnknownFields {
	case PruneUnknown:
		return graph.Dropped, true
	case PreserveUnknown:
		return graph.Kept, true
	case ShallowUnknown:
		return graph.KeptShallow, true
	}
	if m.ElementType != (TypeRef{}) {
		return graph.Kept, false
	}
	return graph.Dropped, false
}

// fields returns the declared fields sorted by name. The last of several with
// one name counts.
func (r *run) fields(m *Map) []graph.Field {
	order := make([]*StructField, len(m.Fields))
	for i := range m.Fields {
		order[i] = &m.Fields[i]
	}
	slices.SortStableFunc(order, func(a, b *StructField) int { return strings.Compare(a.Name, b.Name) })
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
