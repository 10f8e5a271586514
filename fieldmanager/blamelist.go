// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/value"
)

func (w *blamer) items(p *Place, at place.Place, items []any, claims []claim) {
	next := place.Place{Schema: at.Schema}
	if atom, known := at.Atom(); known && atom.List != nil {
		next.Ref, next.Typed = atom.List.ElementType, true
	}
	n := &namer{list: at.List()}
	n.learn(claims)
	names := n.names(items)
	w.twins = w.twins || n.twins
	index := indexClaims(claims)
	for i, item := range items {
		next.Plain = item
		w.child(p, next, claims, index, names[i]...)
	}
	w.lose(claims, n.isUsed)
}

// namer finds the names of the items of a list.
type namer struct {
	list *graph.List // nil if unknown
	// claimed are the elements by which somebody owns an item, sorted, and used says
	// which of them name one.
	claimed []fieldpath.PathElement
	used    []bool
	// keys are the combinations of key fields among them.
	keys    [][]string
	values  bool
	indexes bool
	// twins is set if two items have one claimed name.
	twins bool
}

// learn finds out how entries name items.
func (n *namer) learn(claims []claim) {
	combinations := map[string]bool{}
	add := func(e fieldpath.PathElement) {
		n.claimed = append(n.claimed, e)
		switch {
		case e.Value != nil:
			n.values = true
		case e.Index != nil:
			n.indexes = true
		case e.Key != nil:
			var names []string
			id := ""
			for _, f := range *e.Key {
				names = append(names, f.Name)
				id += f.Name + "\x00"
			}
			if !combinations[id] {
				combinations[id] = true
				n.keys = append(n.keys, names)
			}
		}
	}
	for _, c := range claims {
		for e := range c.set.Members.All() {
			add(e)
		}
		for e := range c.set.Children.All() {
			add(e)
		}
	}
	slices.SortFunc(n.keys, slices.Compare)
	slices.SortStableFunc(n.claimed, fieldpath.PathElement.Compare)
	n.claimed = slices.CompactFunc(n.claimed, fieldpath.PathElement.Equals)
	n.used = make([]bool, len(n.claimed))
}

// isUsed tells whether an element is claimed and names an item.
func (n *namer) isUsed(e fieldpath.PathElement) bool {
	i, found := slices.BinarySearchFunc(n.claimed, e, fieldpath.PathElement.Compare)
	return found && n.used[i]
}

// names returns the names of each item: the claimed ones, or else the one that
// it has by the type.
func (n *namer) names(items []any) [][]fieldpath.PathElement {
	all := make([][]fieldpath.PathElement, len(items))
	for i, item := range items {
		for _, e := range n.candidates(item, i) {
			at, isClaimed := slices.BinarySearchFunc(n.claimed, e, fieldpath.PathElement.Compare)
			if isClaimed && !slices.ContainsFunc(all[i], e.Equals) {
				n.twins = n.twins || n.used[at]
				n.used[at] = true
				all[i] = append(all[i], e)
			}
		}
	}
	if !n.typed() {
		n.guess(items, all)
	}
	for i, item := range items {
		if len(all[i]) > 0 {
			continue
		}
		e, ok := n.identity(item)
		if !ok {
			e = fieldpath.IndexElement(i)
		}
		all[i] = []fieldpath.PathElement{e}
	}
	return all
}

// candidates are the names that item, at index i, can have.
func (n *namer) candidates(item any, i int) []fieldpath.PathElement {
	var found []fieldpath.PathElement
	if n.typed() {
		if e, ok := n.identity(item); ok {
			found = append(found, e)
		}
		return found
	}
	for _, names := range n.keys {
		if e, ok := keyed(item, names); ok {
			found = append(found, e)
		}
	}
	if n.values {
		found = append(found, fieldpath.ValueElement(value.NewValueInterface(item)))
	}
	if n.indexes {
		found = append(found, fieldpath.IndexElement(i))
	}
	return found
}

// typed tells whether the type says how items are named.
func (n *namer) typed() bool {
	return n.list != nil && n.list.IsAssociative()
}

// identity is the name that an item has by the type of its list.
func (n *namer) identity(it any) (fieldpath.PathElement, bool) {
	if !n.typed() {
		return fieldpath.PathElement{}, false
	}
	return item.Identity(n.list, it)
}

// keyed names an item by fields that it has all.
func keyed(item any, names []string) (fieldpath.PathElement, bool) {
	m, ok := item.(map[string]any)
	if !ok {
		return fieldpath.PathElement{}, false
	}
	keys := make(value.FieldList, 0, len(names))
	for _, name := range names {
		v, ok := m[name]
		if !ok {
			return fieldpath.PathElement{}, false
		}
		keys = append(keys, value.Field{Name: name, Value: value.NewValueInterface(v)})
	}
	keys.Sort()
	return fieldpath.PathElement{Key: &keys}, len(keys) > 0
}

// maxGuesses bounds the comparisons of guess.
const maxGuesses = 1 << 20

// guess names the items that have no claimed name yet by the one claimed key
// that none of their fields contradicts: where the type is not known, it may
// hold a default that is not known either.
func (n *namer) guess(items []any, all [][]fieldpath.PathElement) {
	var left []int
	for i, e := range n.claimed {
		if e.Key != nil && !n.used[i] {
			left = append(left, i)
		}
	}
	if len(left)*len(items) > maxGuesses {
		return
	}
	for i, item := range items {
		m, ok := item.(map[string]any)
		if !ok || len(all[i]) > 0 {
			continue
		}
		var fits []int
		for _, at := range left {
			if agrees(m, *n.claimed[at].Key) {
				fits = append(fits, at)
			}
		}
		if len(fits) == 1 {
			n.used[fits[0]] = true
			all[i] = []fieldpath.PathElement{n.claimed[fits[0]]}
		}
	}
}

// agrees tells whether item has one of the keys, and another value for none.
func agrees(item map[string]any, keys value.FieldList) bool {
	some := false
	for _, k := range keys {
		v := item[k.Name]
		if v == nil {
			continue
		}
		if !value.Equals(value.NewValueInterface(v), k.Value) {
			return false
		}
		some = true
	}
	return some
}
