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

// HasUnkeyedItems reports whether a manager owns an unkeyed item in one of the lists for which prev
// has paths. prev is an applier's previous field set, and current contains the current sets of the
// managers. An item is unkeyed if it is not in prev, and if a manager owns it or fields in it, but
// nobody owns its keys.
//
// When structured-merge-diff removes given-up fields, it first removes the whole list, and then
// restores the owned fields. So an unkeyed item loses its keys, and could get the identity of
// another item.
//
// Unkeyed items are rare, because the owner of an item that is not in prev usually owns its keys,
// too. HasUnkeyedItems first checks whether this is true for each set.
func HasUnkeyedItems(n *graph.Node, prev *fieldpath.Set, current []*fieldpath.Set) bool {
	lacks := func(s *fieldpath.Set) bool { return !CoversKeys(n, prev, s) }
	return slices.ContainsFunc(current, lacks) && hasUnkeyedItems(n, prev, current)
}

// NamesAllItems reports whether prev, an applier's previous field set, contains all items of the
// lists in v. If it does, there are no unkeyed items (see HasUnkeyedItems). v is a value of type n,
// and must have all paths of prev. NamesAllItems ignores lists for which prev has no paths. It may
// return false negatives.
//
// It only counts items: if a list in v does not have more items than prev has for it, prev contains
// all of them.
func NamesAllItems(n *graph.Node, v any, prev *fieldpath.Set) bool {
	w := item.NewWorkspace()
	defer w.Done()
	return namesAllItems(w, n, v, prev)
}

// namesAllItems does the same as NamesAllItems, but uses the Workspace of the caller.
func namesAllItems(w *item.Workspace, n *graph.Node, v any, prev *fieldpath.Set) bool {
	if !n.HasKeyedLists {
		return true
	}
	children := prev.Children.Sorted()
	switch x := v.(type) {
	case nil:
		return true
	case map[string]any:
		for i := range children {
			c := &children[i]
			if c.PathElement.FieldName == nil {
				continue
			}
			if t, _ := Descend(n, &c.PathElement); t.HasKeyedLists && !namesAllItems(w, t, x[*c.PathElement.FieldName], c.Set) {
				return false
			}
		}
		return true
	case []any:
		return n.List.HasKeys() && len(x) <= countNamedItems(prev) && namesAllInItems(w, n.List, x, children)
	}
	return false
}

// namesAllInItems does the same as namesAllItems for the lists inside x, the items of a list.
func namesAllInItems(w *item.Workspace, l *graph.List, x []any, items []fieldpath.SetNode) bool {
	if !l.Item.HasKeyedLists {
		return true
	}
	mark := w.IntScratch.Len()
	defer w.IntScratch.Pop(mark)
	ix := w.NewIndex(l, x, len(items))
	for i := range items {
		c := &items[i]
		if len(c.Set.Children.Sorted()) == 0 {
			continue
		}
		if at, _ := ix.FindFirst(&c.PathElement); at < 0 || !namesAllItems(w, l.Item, x[at], c.Set) {
			return false
		}
	}
	return true
}

// countNamedItems returns the number of items that set identifies by their keys. The argument set
// has the paths inside a list.
func countNamedItems(set *fieldpath.Set) int {
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
		if members, member = skipPast(members, pe); !member {
			n++
		}
	}
	return n
}

// CoversKeys reports whether s, the field set of a manager, has the keys of all items in s. It
// ignores items that are in prev, an applier's previous field set, and lists for which prev has no
// paths.
func CoversKeys(n *graph.Node, prev, s *fieldpath.Set) bool {
	if s == prev || !n.HasKeyedLists {
		return true
	}
	children := s.Children.Sorted()
	keyed := n.List.HasKeys()
	if keyed && !namesMemberItems(prev, s) {
		return false
	}
	below := ChildrenOf(prev)
	deep := !keyed || n.List.Item.HasKeyedLists
	for i := range children {
		c := &children[i]
		leads := deep && len(c.Set.Children.Sorted()) > 0
		if !keyed && !leads {
			continue
		}
		of := below.Find(&c.PathElement)
		switch {
		case of == nil && keyed:
			if c.PathElement.Key != nil && !prev.Members.Has(c.PathElement) && !ownsKeys(n.List, &c.PathElement, c.Set) {
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

// namesMemberItems reports whether prev contains all items that are members of s, but have no paths
// below them in s. prev contains an item if it has the path of the item or a path below it.
func namesMemberItems(prev, s *fieldpath.Set) bool {
	members, children := s.Members.Sorted(), s.Children.Sorted()
	i := 0
	for i < len(members) && i < len(children) && members[i].Key == children[i].PathElement.Key {
		i++ // this member has children; usually all members do
	}
	for below := (Finder{children[i:]}); i < len(members); i++ {
		if pe := &members[i]; below.Find(pe) == nil && !prev.Members.Has(*pe) && !hasChild(prev, *pe) {
			return false
		}
	}
	return true
}

// hasUnkeyedItems does the same as HasUnkeyedItems, but without the quick check.
func hasUnkeyedItems(n *graph.Node, prev *fieldpath.Set, current []*fieldpath.Set) bool {
	if !n.HasKeyedLists {
		return false
	}
	if l := n.List; l.HasKeys() {
		for _, s := range current {
			if s != prev && ownsUnkeyedItem(l, prev, s, current) {
				return true
			}
		}
	}
	var finders [8]Finder
	find := finders[:0]
	for _, s := range current {
		find = append(find, ChildrenOf(s))
	}
	children := prev.Children.Sorted()
	for i := range children {
		c := &children[i]
		var room [8]*fieldpath.Set
		below := room[:0]
		for j := range find {
			// Skip a set that is the same in memory as the child of prev, because prev has all its items.
			if s := find[j].Find(&c.PathElement); s != nil && s != c.Set {
				below = append(below, s)
			}
		}
		if len(below) == 0 {
			continue
		}
		if t, _ := Descend(n, &c.PathElement); hasUnkeyedItems(t, c.Set, below) {
			return true
		}
	}
	return false
}

// ownsUnkeyedItem reports whether s has an unkeyed item of the list l (see HasUnkeyedItems).
func ownsUnkeyedItem(l *graph.List, prev, s *fieldpath.Set, current []*fieldpath.Set) bool {
	unkeyed := func(pe *fieldpath.PathElement) bool {
		if pe.Key == nil || prev.Members.Has(*pe) || hasChild(prev, *pe) {
			return false
		}
		below, _ := Narrow(current, *pe, false)
		return !ownsKeys(l, pe, below...)
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

// CoversKeysStored does the same as CoversKeys for a stored set. fields is the set as decoded
// FieldsV1, in the form that IsReconciledStored requires. find looks up items in prev.
// CoversKeysStored may return false negatives.
func CoversKeysStored(n *graph.Node, prev *fieldpath.Set, fields map[string]any, find FindItem) bool {
	if !n.HasKeyedLists {
		return true
	}
	if n.List.HasKeys() {
		return find.items(n.List, prev, fields)
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
			continue // no list can be below this element
		}
		c, ok := prev.Children.Get(fieldpath.PathElement{FieldName: &name})
		if !ok {
			continue
		}
		if t, _ := Descend(n, &fieldpath.PathElement{FieldName: &name}); !CoversKeysStored(t, c, below, find) {
			return false
		}
	}
	return true
}

// FindItem finds a list item in a set by its FieldsV1 key. named reports whether the set is known
// to have the item. below has the paths below the item, and is nil if there are none.
type FindItem func(set *fieldpath.Set, key string) (below *fieldpath.Set, named bool)

// items does the same as CoversKeysStored for the items of a list with keys.
func (find FindItem) items(l *graph.List, prev *fieldpath.Set, fields map[string]any) bool {
	for key, v := range fields {
		if key == "." {
			continue
		}
		below, _ := v.(map[string]any)
		nested := l.Item.HasKeyedLists && hasNested(below)
		if !nested && hasKeys(l, below) {
			continue
		}
		c, named := find(prev, key)
		if !named && !hasKeys(l, below) || c != nil && nested && !CoversKeysStored(l.Item, c, below, find) {
			return false
		}
	}
	return true
}

// hasKeys reports whether fields, the stored set of an item, has all keys of the item.
func hasKeys(l *graph.List, fields map[string]any) bool {
	for i := range l.Keys {
		var room [64]byte
		if _, ok := fields[string(append(append(room[:0], "f:"...), l.Keys[i].Name...))]; !ok {
			return false
		}
	}
	return true
}

// hasNested reports whether one of the fields has paths below it.
func hasNested(fields map[string]any) bool {
	for _, v := range fields {
		if below, _ := v.(map[string]any); len(below) > 0 {
			return true
		}
	}
	return false
}
