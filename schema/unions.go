// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "github.com/dovetail-ssa/dovetail/internal/graph"

// Unions returns the unions of the type that tr refers to, in compiled form, nil if
// there are none, there or below. Unions in atomic maps and lists, which are replaced
// as a whole, do not count. It is for the packages of this module. Safe for
// concurrent use.
func (s *Schema) Unions(tr TypeRef) *graph.Unions {
	st := s.computed()
	key := unionsKey{refKey(tr), s.policies()}
	if u, ok := st.memo.Load(key); ok {
		return u.(*graph.Unions)
	}
	r := unionsRun{schema: s, known: map[nodeKey]*graph.Unions{}, users: map[*graph.Unions][]*graph.Unions{}}
	root := r.ref(tr, s.Node(tr), nil)
	for len(r.queue) > 0 {
		j := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.fill(j.unions, j.ref)
	}
	u, _ := st.memo.LoadOrStore(key, graph.PruneUnions(root, r.all, r.users))
	return u.(*graph.Unions)
}

type unionsKey struct {
	nodeKey
	policies policies
}

// unionsRun finds unions, each type once, from a queue.
type unionsRun struct {
	schema *Schema
	known  map[nodeKey]*graph.Unions
	all    []*graph.Unions
	users  map[*graph.Unions][]*graph.Unions
	queue  []unionsJob
}

type unionsJob struct {
	unions *graph.Unions
	ref    TypeRef
}

// ref returns the unions of a reference, which was compiled to n. New ones are
// filled later.
func (r *unionsRun) ref(tr TypeRef, n *graph.Node, user *graph.Unions) *graph.Unions {
	key := refKey(tr)
	u, ok := r.known[key]
	if !ok {
		u = &graph.Unions{Node: n}
		r.known[key] = u
		r.all = append(r.all, u)
		r.queue = append(r.queue, unionsJob{u, tr})
	}
	if user != nil {
		r.users[u] = append(r.users[u], user)
	}
	return u
}

func (r *unionsRun) fill(u *graph.Unions, tr TypeRef) {
	atom, _ := r.schema.Resolve(tr) // which u.Node was made of
	if l := u.Node.List; l != nil && l.Relation == graph.Associative {
		u.Item = r.ref(atom.List.ElementType, l.Item, u)
	}
	m := u.Node.Map
	if m == nil || m.Atomic {
		return
	}
	u.Fields = map[string]*graph.Unions{}
	for i := range atom.Map.Fields {
		f := &atom.Map.Fields[i]
		u.Fields[f.Name] = r.ref(f.Type, m.At(f.Name), u)
	}
	if m.Open {
		u.Elem = r.ref(atom.Map.ElementType, m.Elem, u)
	}
	for i := range atom.Map.Unions {
		u.Here = append(u.Here, unionOf(&atom.Map.Unions[i], m))
	}
}

func unionOf(un *Union, m *graph.Map) graph.Union {
	var out graph.Union
	if un.Discriminator != nil {
		out.Discriminator = *un.Discriminator
		if f := m.Field(out.Discriminator); f != nil {
			out.Default = f.Default
			if out.Default == nil {
				out.Default = f.Type.Default
			}
		}
	}
	for _, f := range un.Fields {
		out.Members = append(out.Members, graph.Member{Name: f.FieldName, Value: f.DiscriminatorValue})
	}
	return out
}
