// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownedset

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
)

// UnkeyedItems says whether a list that last reaches has an item which last does
// not name and of which somebody owns something, but nobody a key. The first of
// structured-merge-diff's three steps takes such a list away whole, and the
// second puts the item back without the key: it could be taken for another item,
// or for one that was given up.
//
// Most often last names all items that anybody has, or who has an item has its
// keys. That is seen set by set.
func UnkeyedItems(n *graph.Node, last *fieldpath.Set, keep []*fieldpath.Set) bool {
	lacks := func(s *fieldpath.Set) bool { return !CoversKeys(n, last, s) }
	return slices.ContainsFunc(keep, lacks) && unkeyedAmong(n, last, keep)
}

// AllNamed says whether last names all items of the lists of v that it reaches, so that
// none of them is without its keys whoever owns what. v, a value of type n, must have all that
// last names: a list that is no longer than that has nothing else, and nothing twice. No
// may mean unknown.
func AllNamed(n *graph.Node, v any, last *fieldpath.Set) bool {
	m := item.NewMemory()
	defer m.Done()
	return allNamed(m, n, v, last)
}

func allNamed(w *item.Memory, n *graph.Node, v any, last *fieldpath.Set) bool {
	if !n.Keyed {
		return true
	}
	children := last.Children.Sorted()
	switch x := v.(type) {
	case nil:
		return true
	case map[string]any:
		for i := range children {
			c := &children[i]
			if c.PathElement.FieldName == nil {
				continue
			}
			if t, _ := Descend(n, &c.PathElement); t.Keyed && !allNamed(w, t, x[*c.PathElement.FieldName], c.Set) {
				return false
			}
		}
		return true
	case []any:
		return n.List.HasKeys() && len(x) <= itemsNamed(last) && allNamedIn(w, n.List, x, children)
	}
	return false
}

// allNamedIn is allNamed for the lists in the items of another one.
func allNamedIn(w *item.Memory, l *graph.List, x []any, items []fieldpath.SetNode) bool {
	if !l.Item.Keyed {
		return true
	}
	mark := w.Ints.Len()
	defer w.Ints.Pop(mark)
	ix := w.Index(l, x, len(items))
	for i := range items {
		c := &items[i]
		if len(c.Set.Children.Sorted()) == 0 {
			continue
		}
		if at, _ := ix.Find(&c.PathElement); at < 0 || !allNamed(w, l.Item, x[at], c.Set) {
			return false
		}
	}
	return true
}

// itemsNamed is how many items a set of a list names by their keys.
func itemsNamed(set *fieldpath.Set) int {
	members, children := set.Members.Sorted(), set.Children.Sorted()
	n := 0
	for i := range members {
		if members[i].Key != nil {
			n++
		}
	}
	for i := range children {
		pe := &children[i].PathElement
		if pe.Key == nil {
			continue
		}
		var member bool
		if members, member = past(members, pe); !member {
			n++
		}
	}
	return n
}

// CoversKeys says whether s has the keys of all items that it has and last does not
// name, in lists that last reaches.
func CoversKeys(n *graph.Node, last, s *fieldpath.Set) bool {
	if s == last || !n.Keyed {
		return true
	}
	children := s.Children.Sorted()
	keyed := n.List.HasKeys()
	if keyed && !leavesNamed(last, s) {
		return false
	}
	below := ChildrenOf(last)
	deep := !keyed || n.List.Item.Keyed
	for i := range children {
		c := &children[i]
		leads := deep && len(c.Set.Children.Sorted()) > 0
		if !keyed && !leads {
			continue
		}
		of := below.Find(&c.PathElement)
		switch {
		case of == nil && keyed:
			if c.PathElement.Key != nil && !last.Members.Has(c.PathElement) && !keysOwned(n.List, &c.PathElement, c.Set) {
				return false
			}
		case of != nil && of != c.Set && leads:
			if t, _ := Descend(n, &c.PathElement); !CoversKeys(t, of, c.Set) {
				return false
			}
		}
	}
	return true
}

// leavesNamed says whether last names all items of which s has nothing but the
// items themselves.
func leavesNamed(last, s *fieldpath.Set) bool {
	members, children := s.Members.Sorted(), s.Children.Sorted()
	i := 0
	for i < len(members) && i < len(children) && members[i].Key == children[i].PathElement.Key {
		i++ // most often there is something below every item
	}
	for below := (Finder{children[i:]}); i < len(members); i++ {
		if pe := &members[i]; below.Find(pe) == nil && !last.Members.Has(*pe) && !hasChild(last, *pe) {
			return false
		}
	}
	return true
}

// unkeyedAmong is UnkeyedItems without a short cut.
func unkeyedAmong(n *graph.Node, last *fieldpath.Set, keep []*fieldpath.Set) bool {
	if !n.Keyed {
		return false
	}
	if l := n.List; l.HasKeys() {
		for _, s := range keep {
			if s != last && hasUnkeyed(l, last, s, keep) {
				return true
			}
		}
	}
	var finders [8]Finder
	find := finders[:0]
	for _, s := range keep {
		find = append(find, ChildrenOf(s))
	}
	children := last.Children.Sorted()
	for i := range children {
		c := &children[i]
		var room [8]*fieldpath.Set
		below := room[:0]
		for j := range find {
			// What is last itself has nothing that last does not name.
			if s := find[j].Find(&c.PathElement); s != nil && s != c.Set {
				below = append(below, s)
			}
		}
		if len(below) == 0 {
			continue
		}
		if t, _ := Descend(n, &c.PathElement); unkeyedAmong(t, c.Set, below) {
			return true
		}
	}
	return false
}

// hasUnkeyed says whether s has an item that last does not name, and of which none
// of keep has the keys.
func hasUnkeyed(l *graph.List, last, s *fieldpath.Set, keep []*fieldpath.Set) bool {
	unkeyed := func(pe *fieldpath.PathElement) bool {
		if pe.Key == nil || last.Members.Has(*pe) || hasChild(last, *pe) {
			return false
		}
		below, _ := Narrow(keep, *pe, false)
		return !keysOwned(l, pe, below...)
	}
	children, members := s.Children.Sorted(), s.Members.Sorted()
	for i := range children {
		if unkeyed(&children[i].PathElement) {
			return true
		}
	}
	for i := range members {
		if !hasChild(s, members[i]) && unkeyed(&members[i]) {
			return true
		}
	}
	return false
}

// CoversKeysStored is CoversKeys for a set as decoded FieldsV1, in the form that
// Reconciled takes. No means that only the set itself can tell. find says whether a
// set is known to name the item that a key stands for, and what it has below that,
// nil if nothing.
func CoversKeysStored(n *graph.Node, last *fieldpath.Set, fields map[string]any, find FindItem) bool {
	if !n.Keyed {
		return true
	}
	if n.List.HasKeys() {
		return find.items(n.List, last, fields)
	}
	for key, v := range fields {
		below, _ := v.(map[string]any)
		if len(below) == 0 {
			continue
		}
		name, ok := strings.CutPrefix(key, "f:")
		if !ok {
			if n.List != nil {
				return false
			}
			continue // nothing that a list is below
		}
		c, ok := last.Children.Get(fieldpath.PathElement{FieldName: &name})
		if !ok {
			continue
		}
		if t, _ := Descend(n, &fieldpath.PathElement{FieldName: &name}); !CoversKeysStored(t, c, below, find) {
			return false
		}
	}
	return true
}

// FindItem finds an item in a set by its key in FieldsV1.
type FindItem func(set *fieldpath.Set, key string) (below *fieldpath.Set, named bool)

func (find FindItem) items(l *graph.List, last *fieldpath.Set, fields map[string]any) bool {
	for key, v := range fields {
		if key == "." {
			continue
		}
		below, _ := v.(map[string]any)
		nested := l.Item.Keyed && hasDeep(below)
		if !nested && hasKeys(l, below) {
			continue
		}
		c, named := find(last, key)
		if !named && !hasKeys(l, below) || c != nil && nested && !CoversKeysStored(l.Item, c, below, find) {
			return false
		}
	}
	return true
}

// hasKeys says whether the fields of an item have all of its keys.
func hasKeys(l *graph.List, fields map[string]any) bool {
	for i := range l.Keys {
		var room [64]byte
		if _, ok := fields[string(append(append(room[:0], "f:"...), l.Keys[i].Name...))]; !ok {
			return false
		}
	}
	return true
}

// hasDeep says whether there is something below one of the fields.
func hasDeep(fields map[string]any) bool {
	for _, v := range fields {
		if below, _ := v.(map[string]any); len(below) > 0 {
			return true
		}
	}
	return false
}
