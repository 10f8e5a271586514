// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/value"
)

// Leftover is a member of a union that is still set after the union selected another member.
type Leftover struct {
	Path  fieldpath.Path
	Value any
	// Discriminator is the name of the discriminator field, and Chosen is its new value. A union
	// may have no discriminator. Discriminator is then empty, and Chosen is the name of the member
	// that the request added.
	Discriminator string
	Chosen        any
	// Written is true if the same request also sets this member. Such a member is not removed.
	Written bool
}

// NormalizeUnions returns after, a value of type n, without leftovers. A leftover is a union
// member that is set although a request selected another member. If the union has a
// discriminator, a request selects a member when it changes the discriminator. Otherwise it
// selects a member when it adds exactly one member. The argument before is the value before the
// request, and after is the value that results from it. left has all leftovers, sorted by path.
//
// A leftover stays in out if the request itself sets it (see Leftover.Written). If update is
// false, the request is an apply, which sets every field of config. If update is true, it is an
// update, which sets every field of after that differs from the field in before. Unions in new
// parts of the object are not normalized. NormalizeUnions modifies no argument, and the result
// shares unchanged parts with after.
func NormalizeUnions(n *graph.Node, before, after, config any, update bool) (out any, left []Leftover) {
	w := newWorkspace()
	defer w.done()
	s := normalizer{w: w, update: update}
	s.left.path = func(l *Leftover) *fieldpath.Path { return &l.Path }
	out, _ = s.value(n, before, after, config)
	return out, s.left.sorted(func(a, b Leftover) int { return a.Path.Compare(b.Path) })
}

type normalizer struct {
	w      *workspace
	update bool
	left   pathCollector[Leftover]
	depth  int
}

// value normalizes the unions in v. The boolean reports whether the result differs from v. The
// argument before is the value at the same path before the request.
func (s *normalizer) value(n *graph.Node, before, v, config any) (any, bool) {
	if !n.HasUnions || s.depth == data.MaxDepth {
		return v, false
	}
	s.depth++
	defer func() { s.depth-- }()
	switch data.ClassOf(v) {
	case data.Mapping:
		if was := data.AsMap(before); was != nil && n.Map != nil && !n.Map.Atomic {
			return s.fields(n.Map, was, data.AsMap(v), data.AsMap(config)).Of(v)
		}
	case data.List:
		if was := data.AsList(before); len(was) > 0 && n.List != nil && n.List.IsAssociative() {
			return s.items(n.List, was, data.AsList(v), data.AsList(config)).Of(v)
		}
	}
	return v, false
}

// fields normalizes the unions of a map, and the unions in its fields.
func (s *normalizer) fields(m *graph.Map, before, x, config map[string]any) data.EditedMap {
	out := data.EditedMap{Map: x}
	for _, un := range m.AllUnions() {
		chosen, ok := newSelection(m, &un, before, x)
		if !ok {
			continue
		}
		for _, member := range un.Members {
			name := member.Name
			found := out.Map[name]
			if found == nil || isChosen(&un, member, chosen) {
				continue
			}
			l := Leftover{
				Path: fieldpath.Path{fieldpath.FieldNameElement(name)}, Value: found,
				Discriminator: un.Discriminator, Chosen: chosen,
				Written: s.written(before, config, name, found),
			}
			if s.left.all = append(s.left.all, l); !l.Written {
				out.Delete(name)
			}
		}
	}
	for name := range x {
		n := m.At(name)
		if !n.HasUnions {
			continue
		}
		mark := len(s.left.all)
		if c, ok := s.value(n, before[name], out.Map[name], config[name]); ok {
			out.Put(name, c)
		}
		s.left.addParent(mark, func() fieldpath.PathElement { return fieldpath.FieldNameElement(name) })
	}
	return out
}

// written reports whether the request itself sets the union member with the given name. The
// argument found is the value of the member after the request.
func (s *normalizer) written(before, config map[string]any, name string, found any) bool {
	if s.update {
		return !value.EqualUnstructured(before[name], found)
	}
	return config[name] != nil
}

// newSelection returns the member that a request selects in a union. The argument before is the
// object before the request, and x is the object after it. chosen is the value of the
// discriminator, or the name of the added member if the union has no discriminator.
//
// ok is false if the request selects nothing new, so that there are no leftovers. This is the
// case if the discriminator did not change, or if it is absent in x and has no default. In a
// union without a discriminator, it is the case if the request added no member, or several.
func newSelection(m *graph.Map, un *graph.Union, before, x map[string]any) (chosen any, ok bool) {
	if un.Discriminator != "" {
		was, is := discriminator(m, un, before), discriminator(m, un, x)
		return is, is != nil && !value.EqualUnstructured(was, is)
	}
	for _, member := range un.Members {
		if x[member.Name] != nil && before[member.Name] == nil {
			if ok {
				return nil, false
			}
			chosen, ok = member.Name, true
		}
	}
	return chosen, ok
}

// discriminator returns the value of the union's discriminator in x. If it is absent, it
// returns the default, or nil if there is no default.
func discriminator(m *graph.Map, un *graph.Union, x map[string]any) any {
	if v := x[un.Discriminator]; v != nil {
		return v
	}
	if f := m.Field(un.Discriminator); f != nil {
		if def := data.NearestDefault(f.Type, &f.Default); def != nil {
			return *def
		}
	}
	return nil
}

// isChosen reports whether the member m is selected by chosen, which is a result of
// newSelection.
func isChosen(un *graph.Union, m graph.Member, chosen any) bool {
	if un.Discriminator == "" {
		return m.Name == chosen
	}
	if s, ok := chosen.(string); ok {
		return m.Value == s
	}
	return m.Value == value.ToString(data.Shown(chosen))
}

// items normalizes the items of an associative list. It compares each item with the item that
// has the same identity in before.
func (s *normalizer) items(l *graph.List, before, x, config []any) data.EditedList {
	mark := s.w.Ints.Len()
	defer s.w.Ints.Pop(mark)
	was := s.w.Pair(l, before, x, item.PairFacts{})
	wrote := s.w.Pair(l, config, x, item.PairFacts{})
	first := func(p *item.Pairing, items []any, j int) any {
		if id := p.RightNumber[j]; id >= 0 && p.LeftCount[id] > 0 {
			return items[p.FirstLeft[id]]
		}
		return nil
	}
	out := data.EditedList{List: x}
	for j, it := range x {
		from := len(s.left.all)
		if c, ok := s.value(l.Item, first(&was, before, j), it, first(&wrote, config, j)); ok {
			out.Put(j, c)
		}
		s.left.addParent(from, func() fieldpath.PathElement { return s.w.Element(l, it) })
	}
	return out
}
