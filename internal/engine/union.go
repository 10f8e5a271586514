// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

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

// SettleUnions returns after, of the type that u is of, without what a change of
// discriminators since before has left behind: members that they do not name. They
// are in left, in the order of their paths. Where a union has no discriminator, a
// member that was added, if it is the only one, leaves the others behind.
//
// What the writer wrote stays. An applier wrote what config has; if there was an
// update, not an apply, that is what differs from before. What is not in before is
// not looked at. Nothing is modified, and what does not change is shared.
func SettleUnions(u *graph.Unions, before, after, config any, update bool) (out any, left []Leftover) {
	w := newWalker()
	defer w.done()
	s := settler{w: w, update: update}
	out, _ = s.value(u, before, after, config)
	for i := range s.left {
		slices.Reverse(s.left[i].Path)
	}
	slices.SortFunc(s.left, func(a, b Leftover) int { return a.Path.Compare(b.Path) })
	return out, s.left
}

type settler struct {
	w      *walker
	update bool
	// left are what is left behind; their paths have the last element first and grow
	// while the walk unwinds.
	left  []Leftover
	depth int
}

// value settles v, which was before, and says whether the result is another one.
func (s *settler) value(u *graph.Unions, before, v, config any) (any, bool) {
	if u == nil || s.depth == data.MaxDepth {
		return v, false
	}
	s.depth++
	defer func() { s.depth-- }()
	switch data.ClassOf(v) {
	case data.Mapping:
		if was := data.AsMap(before); was != nil && u.Node.Map != nil {
			return s.fields(u, was, data.AsMap(v), data.AsMap(config), v)
		}
	case data.List:
		if was := data.AsList(before); len(was) > 0 && u.Item != nil {
			if out, changed := s.items(u, was, data.AsList(v), data.AsList(config)); changed {
				return out, true
			}
		}
	}
	return v, false
}

// fields settles the map x, which v is.
func (s *settler) fields(u *graph.Unions, before, x, config map[string]any, v any) (any, bool) {
	out := x
	changed := false
	edit := func() map[string]any {
		if !changed {
			out, changed = maps.Clone(x), true
		}
		return out
	}
	for i := range u.Here {
		un := &u.Here[i]
		chosen, ok := choose(un, before, x)
		if !ok {
			continue
		}
		for _, m := range un.Members {
			found := out[m.Name]
			if found == nil || chooses(un, m, chosen) {
				continue
			}
			l := Leftover{
				Path: fieldpath.Path{fieldpath.FieldNameElement(m.Name)}, Value: found,
				Discriminator: un.Discriminator, Chosen: chosen,
				Written: s.written(before, config, m.Name, found),
			}
			if s.left = append(s.left, l); !l.Written {
				delete(edit(), m.Name)
			}
		}
	}
	below := func(u *graph.Unions, name string) {
		mark := len(s.left)
		if c, ok := s.value(u, before[name], out[name], config[name]); ok {
			edit()[name] = c
		}
		for i := mark; i < len(s.left); i++ {
			s.left[i].Path = append(s.left[i].Path, fieldpath.FieldNameElement(name))
		}
	}
	for name, u := range u.Fields {
		below(u, name)
	}
	if u.Elem != nil {
		for name := range x {
			if u.Node.Map.Field(name) == nil {
				below(u.Elem, name)
			}
		}
	}
	if !changed {
		return v, false
	}
	return out, true
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
func choose(un *graph.Union, before, x map[string]any) (chosen any, ok bool) {
	if un.Discriminator != "" {
		was, is := discriminator(un, before), discriminator(un, x)
		return is, is != nil && !value.EqualUnstructured(was, is)
	}
	for _, m := range un.Members {
		if x[m.Name] != nil && before[m.Name] == nil {
			if ok {
				return nil, false
			}
			chosen, ok = m.Name, true
		}
	}
	return chosen, ok
}

func discriminator(un *graph.Union, x map[string]any) any {
	if v := x[un.Discriminator]; v != nil {
		return v
	}
	return un.Default
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
func (s *settler) items(u *graph.Unions, before, x, config []any) ([]any, bool) {
	l := u.Node.List
	mark := s.w.Ints.Len()
	defer s.w.Ints.Pop(mark)
	was := s.w.Pair(l, before, x, item.Known{})
	wrote := s.w.Pair(l, config, x, item.Known{})
	first := func(nb *item.Pairing, items []any, j int) any {
		if id := nb.Right[j]; id >= 0 && nb.Lefts[id] > 0 {
			return items[nb.LeftAt[id]]
		}
		return nil
	}
	out, changed := x, false
	for j, it := range x {
		from := len(s.left)
		if c, ok := s.value(u.Item, first(&was, before, j), it, first(&wrote, config, j)); ok {
			if !changed {
				out, changed = slices.Clone(x), true
			}
			out[j] = c
		}
		if from < len(s.left) {
			pe := s.w.Element(l, it)
			for i := from; i < len(s.left); i++ {
				s.left[i].Path = append(s.left[i].Path, pe)
			}
		}
	}
	return out, changed
}
