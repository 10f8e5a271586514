// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// marks compares what two states of a type say of immutability, and the defaults of
// what is immutable: nobody can change such a field, but a new default does.
type marks struct {
	*typeComparison
	seen map[markedPair]bool
}

// markedPair is a pair of named types, and whether the second stands in something
// immutable.
type markedPair struct {
	old, now string
	fixed    bool
}

// refs compares two types at one place. fixed says that the place is immutable in
// the new state.
func (m *marks) refs(path string, old, now schema.TypeRef, fixed bool) {
	was, is := transitionOf(m.old, old), transitionOf(m.now, now)
	if was != is {
		m.mark(path, was, is)
	}
	fixed = fixed || isFixed(is)
	if old.NamedType != nil && now.NamedType != nil {
		pair := markedPair{*old.NamedType, *now.NamedType, fixed}
		if m.seen[pair] {
			return
		}
		m.seen[pair] = true
	}
	a, ok := m.old.Resolve(old)
	b, still := m.now.Resolve(now)
	if !ok || !still {
		return
	}
	if a.List != nil && b.List != nil {
		m.refs(path+"[*]", a.List.ElementType, b.List.ElementType, fixed)
	}
	if a.Map == nil || b.Map == nil {
		return
	}
	for i := range a.Map.Fields {
		f := &a.Map.Fields[i]
		g, ok := b.Map.FindField(f.Name)
		if !ok {
			continue
		}
		at := path + "." + f.Name
		if fixed || isFixed(transitionOf(m.now, g.Type)) {
			m.fixedDefault(at, f.Default, g.Default)
		}
		m.refs(at, f.Type, g.Type, fixed)
	}
	if a.Map.ElementType != (schema.TypeRef{}) && b.Map.ElementType != (schema.TypeRef{}) {
		m.refs(path+".*", a.Map.ElementType, b.Map.ElementType, fixed)
	}
}

func isFixed(t schema.Transition) bool { return graph.Transition(t).Rule().Whole }

// transitionOf returns what a schema says of the place of ref.
func transitionOf(s *schema.Schema, ref schema.TypeRef) schema.Transition {
	if ref.Transition != schema.NoTransition || ref.NamedType == nil {
		return ref.Transition
	}
	t, _ := s.FindNamedType(*ref.NamedType)
	return t.Transition
}

func (m *marks) mark(path string, was, is schema.Transition) {
	const rule = "immutability"
	old, now := any(was.String()), any(is.String())
	switch {
	case was == schema.NoTransition:
		m.add(path, rule, nil, now, "is %s from now on: objects keep what they have, and updates that change it are refused", is)
	case is == schema.NoTransition:
		m.add(path, rule, old, nil, "was %s and may change from now on", was)
	default:
		m.add(path, rule, old, now, "was %s and is %s", was, is)
	}
}

func (m *marks) fixedDefault(path string, old, now any) {
	if value.Equals(value.NewValueInterface(old), value.NewValueInterface(now)) {
		return
	}
	text := func(v any) string {
		if v == nil {
			return "none"
		}
		return flow(v)
	}
	m.add(path, "immutable-default", old, now, "is immutable, and its default was %s and is %s: objects without a stored value change, though nobody may change them", text(old), text(now))
}
