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

// Leftover is a member of a union that is still set after the union selected another member, or no
// member.
type Leftover struct {
	Path  fieldpath.Path
	Value any
	// Discriminator is the name of the discriminator field, and Selected is its new value. In a union
	// without a discriminator, Discriminator is empty, and Selected is the name of the member that the
	// request added.
	Discriminator string
	Selected      any
	// Written is true if the same request also sets this member. Such a member is not removed.
	Written bool
}

// NormalizeUnions returns next, a value of type n, without leftovers. A leftover is a union member
// that is still set although a request selected another member. A request selects a member when it
// changes the discriminator. If the new value of the discriminator selects no member, all members
// that are still set are leftovers. If the union has no discriminator, the request selects a member
// when it adds exactly one member. The argument old is the value before the request, and next is the
// value after it. The result leftovers has all leftovers, sorted by path.
//
// A leftover stays in out if the request itself sets it (see Leftover.Written). An apply sets every
// field of config that is not null. An update sets every field of next that differs from the field
// in old. update is true if the request is an update. Four kinds of unions are not normalized: unions in
// new parts of the object, in atomic containers, in lists that are not associative, and in more than
// data.MaxDepth containers. NormalizeUnions modifies no argument, and the result shares unchanged parts
// with next.
func NormalizeUnions(n *graph.Node, old, next, config any, update bool) (out any, leftovers []Leftover) {
	w := newWorkspace()
	defer w.done()
	s := normalizer{w: w, update: update}
	s.leftovers.path = func(l *Leftover) *fieldpath.Path { return &l.Path }
	out, _ = s.value(n, old, next, config)
	return out, s.leftovers.sorted(func(a, b Leftover) int { return a.Path.Compare(b.Path) })
}

// normalizer does the work of NormalizeUnions.
type normalizer struct {
	w         *workspace
	update    bool
	leftovers pathCollector[Leftover]
	depth     int // the number of containers around the current value
}

// value normalizes the unions in v, the value at some path after the request. The argument old is
// the value at this path before the request. The boolean reports whether the result differs from v.
func (s *normalizer) value(n *graph.Node, old, v, config any) (any, bool) {
	if !n.HasUnions || s.depth == data.MaxDepth {
		return v, false
	}
	s.depth++
	defer func() { s.depth-- }()
	switch data.ClassOf(v) {
	case data.Mapping:
		if before := data.AsMap(old); before != nil && n.Map != nil && !n.Map.Atomic {
			return s.fields(n.Map, before, data.AsMap(v), data.AsMap(config)).Of(v)
		}
	case data.List:
		if before := data.AsList(old); len(before) > 0 && n.List != nil && n.List.IsAssociative() {
			return s.items(n.List, before, data.AsList(v), data.AsList(config)).Of(v)
		}
	}
	return v, false
}

// fields normalizes the unions of a map, and the unions in its fields.
func (s *normalizer) fields(m *graph.Map, old, x, config map[string]any) data.EditedMap {
	out := data.EditedMap{Map: x}
	for _, un := range m.AllUnions() {
		selected, ok := newSelection(m, &un, old, x)
		if !ok {
			continue
		}
		for _, member := range un.Members {
			name := member.Name
			found := out.Map[name] // not in x, because another union may have removed the member
			if found == nil || isSelected(&un, member, selected) {
				continue
			}
			leftover := Leftover{
				Path: fieldpath.Path{fieldpath.FieldNameElement(name)}, Value: found,
				Discriminator: un.Discriminator, Selected: selected,
				Written: s.written(old, config, name, found),
			}
			if s.leftovers.all = append(s.leftovers.all, leftover); !leftover.Written {
				out.Delete(name)
			}
		}
	}
	for name := range x {
		n := m.At(name)
		if !n.HasUnions {
			continue
		}
		mark := len(s.leftovers.all)
		if c, ok := s.value(n, old[name], out.Map[name], config[name]); ok {
			out.Put(name, c)
		}
		s.leftovers.addParent(mark, func() fieldpath.PathElement { return fieldpath.FieldNameElement(name) })
	}
	return out
}

// written reports whether the request itself sets the union member with the given name. v is the
// value of the member after the request.
func (s *normalizer) written(old, config map[string]any, name string, v any) bool {
	if s.update {
		return !value.EqualUnstructured(old[name], v)
	}
	return config[name] != nil
}

// newSelection returns what a request newly selects in a union. The argument old is the map
// with the union before the request, and next is the map after it. The result selected is the new
// value of the discriminator, or the name of the added member if the union has no discriminator.
//
// ok is false if the request selects nothing new, so that there are no leftovers. The result ok is
// false if the discriminator did not change, or if it is now absent and has no default. In a union
// without a discriminator, ok is false if the request added no member, or several.
func newSelection(m *graph.Map, un *graph.Union, old, next map[string]any) (selected any, ok bool) {
	if un.Discriminator != "" {
		before, after := discriminator(m, un, old), discriminator(m, un, next)
		return after, after != nil && !value.EqualUnstructured(before, after)
	}
	for _, member := range un.Members {
		if next[member.Name] != nil && old[member.Name] == nil {
			if ok {
				return nil, false
			}
			selected, ok = member.Name, true
		}
	}
	return selected, ok
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

// isSelected reports whether selected, a result of newSelection, selects the member.
func isSelected(un *graph.Union, member graph.Member, selected any) bool {
	if un.Discriminator == "" {
		return member.Name == selected
	}
	if s, ok := selected.(string); ok {
		return member.Value == s
	}
	return member.Value == value.ToString(data.Shown(selected)) // the discriminator is a number or a boolean
}

// items normalizes the items of an associative list. It compares each item with the old item that
// has the same identity.
func (s *normalizer) items(l *graph.List, old, x, config []any) data.EditedList {
	mark := s.w.IntScratch.Len()
	defer s.w.IntScratch.Pop(mark)
	withOld := s.w.Pair(l, old, x, item.PairFacts{})
	withConfig := s.w.Pair(l, config, x, item.PairFacts{})
	// matching returns the first of the candidates that has the same identity as item j of x. It
	// returns nil if there is none. The candidates are the left items of the pairing p.
	matching := func(p *item.Pairing, candidates []any, j int) any {
		if number := p.RightNumber[j]; number >= 0 && p.LeftCount[number] > 0 {
			return candidates[p.FirstLeft[number]]
		}
		return nil
	}
	out := data.EditedList{List: x}
	for j, it := range x {
		from := len(s.leftovers.all)
		if c, ok := s.value(l.Item, matching(&withOld, old, j), it, matching(&withConfig, config, j)); ok {
			out.Put(j, c)
		}
		s.leftovers.addParent(from, func() fieldpath.PathElement { return s.w.Element(l, it) })
	}
	return out
}
