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

// Leftover is a member of a union that is set though another one was chosen.
type Leftover struct {
	Path  fieldpath.Path
	Value any
	// Discriminator is the field that chose, and Chosen its value; or the field is
	// empty, and Chosen the name of the member that was added.
	Discriminator string
	Chosen        any
	// Written says that whoever chose wrote the member, too.
	Written bool
}

// SettleUnions returns after, a value of type n, without what a change of
// discriminators since before has left behind: members that they do not name. They
// are in left, in the order of their paths. Where a union has no discriminator, a
// member that was added, if it is the only one, leaves the others behind.
//
// What the writer wrote stays. An applier wrote what config has; if there was an
// update, not an apply, that is what differs from before. What is not in before is
// not looked at. Nothing is modified, and what does not change is shared.
func SettleUnions(n *graph.Node, before, after, config any, update bool) (out any, left []Leftover) {
	w := newWalker()
	defer w.done()
	s := settler{w: w, update: update}
	s.left.path = func(l *Leftover) *fieldpath.Path { return &l.Path }
	out, _ = s.value(n, before, after, config)
	return out, s.left.sorted(func(a, b Leftover) int { return a.Path.Compare(b.Path) })
}

type settler struct {
	w      *walker
	update bool
	left   finds[Leftover]
	depth  int
}

// value settles v, which was before, and says whether the result is another one.
func (s *settler) value(n *graph.Node, before, v, config any) (any, bool) {
	if !n.Unioned || s.depth == data.MaxDepth {
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

func (s *settler) fields(m *graph.Map, before, x, config map[string]any) data.EditedMap {
	out := data.EditedMap{Map: x}
	for _, un := range m.AllUnions() {
		chosen, ok := choose(m, &un, before, x)
		if !ok {
			continue
		}
		for _, member := range un.Members {
			name := member.Name
			found := out.Map[name]
			if found == nil || chooses(&un, member, chosen) {
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
		if !n.Unioned {
			continue
		}
		mark := len(s.left.all)
		if c, ok := s.value(n, before[name], out.Map[name], config[name]); ok {
			out.Put(name, c)
		}
		s.left.under(mark, func() fieldpath.PathElement { return fieldpath.FieldNameElement(name) })
	}
	return out
}

// written says whether the writer wrote a member of a union.
func (s *settler) written(before, config map[string]any, name string, found any) bool {
	if s.update {
		return !value.EqualUnstructured(before[name], found)
	}
	return config[name] != nil
}

// choose returns what chooses a member of a union now, and whether it does so since
// before. A discriminator that is neither there nor has a default chooses none.
func choose(m *graph.Map, un *graph.Union, before, x map[string]any) (chosen any, ok bool) {
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

func chooses(un *graph.Union, m graph.Member, chosen any) bool {
	if un.Discriminator == "" {
		return m.Name == chosen
	}
	if s, ok := chosen.(string); ok {
		return m.Value == s
	}
	return m.Value == value.ToString(data.Shown(chosen))
}

// items settles the items of an associative list, each with what it was.
func (s *settler) items(l *graph.List, before, x, config []any) data.EditedList {
	mark := s.w.Ints.Len()
	defer s.w.Ints.Pop(mark)
	was := s.w.Pair(l, before, x, item.Known{})
	wrote := s.w.Pair(l, config, x, item.Known{})
	first := func(nb *item.Pairing, items []any, j int) any {
		if id := nb.RightNumber[j]; id >= 0 && nb.LeftCount[id] > 0 {
			return items[nb.FirstLeft[id]]
		}
		return nil
	}
	out := data.EditedList{List: x}
	for j, it := range x {
		from := len(s.left.all)
		if c, ok := s.value(l.Item, first(&was, before, j), it, first(&wrote, config, j)); ok {
			out.Put(j, c)
		}
		s.left.under(from, func() fieldpath.PathElement { return s.w.Element(l, it) })
	}
	return out
}
