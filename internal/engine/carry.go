// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// MaxCarried is how many paths one field set may have after it was carried: an
// entry that names many items has what is below it once for each.
const MaxCarried = 1 << 20

// A Carrier carries the field sets of one live object over from one type to another. It
// finds out once what the items of a list are called before and after, however many sets
// name some. It is not safe for concurrent use.
type Carrier struct {
	root struct {
		old, now *graph.Node
		live     any
	}
	// known are the lists that a set has led to, by their first item.
	known map[*any]*called
	w     *memory
	// was and is are the paths to here, as they were and as they are.
	was, is fieldpath.Path
	moves   []Move
	size    int
	wrong   diag.Findings
}

// NewCarrier returns a Carrier of the sets of live, a value of type old, which is not
// written to while the Carrier is used.
func NewCarrier(old, now *graph.Node, live any) *Carrier {
	c := &Carrier{}
	c.root.old, c.root.now, c.root.live = old, now, live
	return c
}

// Carry returns set, which was written under the old type, as it is under the new one,
// so that it owns of the live object what it owned before. The set is read as the old
// type reads it: missing keys have its defaults, and pieces of what is atomic there are
// all of it. Each list item that it names is named anew. What names no live item stays,
// but for keys that have a default now.
//
// Unlike Reconcile, which knows the type of today only, it also carries over
// what was owned as a whole. Everything that changes is in moves, in the order
// of the old paths, and so is each item that the set names now and did not name
// before. The result is set itself if nothing changes. It fails if a type is
// missing.
func (c *Carrier) Carry(set *fieldpath.Set) (out *fieldpath.Set, moves []Move, wrong diag.Findings) {
	c.w = newMemory()
	defer c.w.done()
	c.moves, c.size, c.wrong = nil, 0, nil
	if c.resolved(c.root.old, c.root.now) {
		out = c.below(c.root.old, c.root.now, []any{c.root.live}, set)
	}
	if c.wrong != nil {
		return nil, nil, c.wrong
	}
	return out, c.moves, nil
}

// piece is one element of a set, with what is below it.
type piece struct {
	pe     fieldpath.PathElement
	member bool
	below  *fieldpath.Set // nil if there is nothing
}

// pieces returns the elements of a set in order.
func pieces(set *fieldpath.Set) []piece {
	members, children := set.Members.Sorted(), set.Children.Sorted()
	out := make([]piece, 0, max(len(members), len(children)))
	for len(members) > 0 || len(children) > 0 {
		order := -1
		if len(members) == 0 {
			order = 1
		} else if len(children) > 0 {
			order = members[0].Compare(children[0].PathElement)
		}
		var p piece
		if order <= 0 {
			p.pe, p.member, members = members[0], true, members[1:]
		}
		if order >= 0 {
			p.pe, p.below, children = children[0].PathElement, children[0].Set, children[1:]
		}
		out = append(out, p)
	}
	return out
}

// assembled is the reverse of pieces.
func assembled(all []piece) *fieldpath.Set {
	var members []fieldpath.PathElement
	var children []fieldpath.SetNode
	for _, p := range all {
		if p.member {
			members = append(members, p.pe)
		}
		if p.below != nil {
			children = append(children, fieldpath.SetNode{PathElement: p.pe, Set: p.below})
		}
	}
	return fieldpath.FromSorted(members, children)
}

// below carries what a set holds of the live values of one place. It returns
// set itself if nothing changes.
func (c *Carrier) below(old, now *graph.Node, live []any, set *fieldpath.Set) *fieldpath.Set {
	if old == now || c.wrong != nil {
		return set
	}
	if c.size += set.Members.Size() + len(set.Children.Sorted()); c.size > MaxCarried {
		c.wrong = diag.Newf(diag.BadSchema, "more than %d paths", MaxCarried)
		return set
	}
	was, is := first(old.Kinds()), first(now.Kinds())
	switch {
	case was != is:
		c.note(ReasonKindChanged, "it was "+kindName(was)+" and is "+kindName(is))
	case is == graph.MapKind && !now.Map.Atomic && !now.Map.Deduced && !old.Map.Deduced:
		return c.fields(old, now, live, set)
	case is == graph.ListKind && old.List.Relation == graph.Associative && now.List.Relation == graph.Associative:
		return c.items(old.List, now.List, live, set)
	}
	return set
}

func kindName(k graph.Kinds) string {
	switch k {
	case graph.MapKind:
		return "a map"
	case graph.ListKind:
		return "a list"
	case graph.ScalarKind:
		return "a scalar"
	}
	return "nothing"
}

// note adds a move of the place that the paths lead to.
func (c *Carrier) note(r Reason, why string) {
	c.moves = append(c.moves, Move{Old: slices.Clone(c.was), New: slices.Clone(c.is), Reason: r, Why: why})
}

// at runs f one element further down.
func (c *Carrier) at(was, is fieldpath.PathElement, f func()) {
	c.was, c.is = append(c.was, was), append(c.is, is)
	f()
	c.was, c.is = c.was[:len(c.was)-1], c.is[:len(c.is)-1]
}

func (c *Carrier) fields(old, now *graph.Node, live []any, set *fieldpath.Set) *fieldpath.Set {
	all := pieces(set)
	changed := false
	for i := range all {
		p := &all[i]
		from, known := typeAt(old, &p.pe)
		to, still := typeAt(now, &p.pe)
		if !known {
			continue
		}
		c.at(p.pe, p.pe, func() {
			if !still {
				c.note(ReasonFieldGone, "the schema does not have the field any more")
				return
			}
			if c.resolved(from, to) {
				loose := p.pe.FieldName == nil || now.Map.Field(*p.pe.FieldName) == nil
				changed = c.place(from, to, valuesAt(live, &p.pe), p, loose) || changed
			}
		})
	}
	if !changed {
		return set
	}
	return assembled(all)
}

// valuesAt returns the values of one field in several maps.
func valuesAt(maps []any, pe *fieldpath.PathElement) (values []any) {
	if pe.FieldName == nil {
		return nil
	}
	for _, m := range maps {
		if v, ok := asMap(m)[*pe.FieldName]; ok {
			values = append(values, v)
		}
	}
	return values
}

func (c *Carrier) resolved(types ...*graph.Node) bool {
	for _, t := range types {
		if t.Missing {
			c.wrong = append(c.wrong, unresolved(t)...)
			return false
		}
	}
	return true
}

// place carries what a set has at one place and below. loose says that the place
// is an item or an undeclared field, which is owned besides what is below it.
func (c *Carrier) place(old, now *graph.Node, live []any, p *piece, loose bool) (changed bool) {
	if p.below != nil && old != now && swallows(old, p.below) {
		c.note(ReasonBecameAtomic, "it was atomic already: who owned a piece of it owned it all")
		p.member, p.below, changed = true, nil, true
	}
	if p.below != nil {
		if swallows(now, p.below) {
			c.note(ReasonBecameAtomic, "it was owned piece by piece and is owned as a whole")
			p.member, p.below = true, nil
			return true
		}
		below := c.below(old, now, live, p.below)
		changed = below != p.below
		p.below = below
	}
	if !p.member || old == now || old.Granular() == now.Granular() {
		if p.member && old != now && !now.Granular() {
			c.leftOutWithin(old, now, live)
		}
		return changed
	}
	if old.Granular() {
		if holdsAny(live) && now.Kinds()&(graph.MapKind|graph.ListKind) != 0 {
			c.note(ReasonBecameAtomic, "it was owned without what is in it and is owned as a whole")
		}
		return changed
	}
	whole := c.whole(now, live)
	if whole == nil {
		return changed
	}
	if p.below != nil {
		whole = whole.Union(p.below)
	}
	p.member, p.below = loose, whole
	return true
}

// leftOutWithin notes that a value which is owned as a whole has an item whose key has
// the old default: who left it out and applies the same again applies another value.
func (c *Carrier) leftOutWithin(old, now *graph.Node, live []any) {
	for _, v := range live {
		if l, k := defaultedKey(old, now, v); k != nil {
			c.note(ReasonLeftOut, fmt.Sprintf("an item in it has the key %s as it was by default, and %s; who left it out and applies the same again applies another value",
				k.Name, keysChanged(l, &graph.List{Keys: []graph.Key{*k}, KeyNames: []string{k.Name}}, fieldpath.PathElement{}, fieldpath.PathElement{})))
			return
		}
	}
}

// defaultedKey returns a key that an item somewhere in v has as it is by default in a
// list of type old, alone in a list, and what it is now if it has another default; nil
// if there is none.
func defaultedKey(old, now *graph.Node, v any) (was *graph.List, is *graph.Key) {
	if old == now {
		return nil, nil
	}
	switch x := v.(type) {
	case map[string]any:
		if old.Map == nil || now.Map == nil {
			return nil, nil
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if was, is = defaultedKey(old.Map.At(name), now.Map.At(name), x[name]); is != nil {
				return was, is
			}
		}
	case []any:
		if old.List == nil || now.List == nil {
			return nil, nil
		}
		for _, item := range x {
			for i := range now.List.Keys {
				is := &now.List.Keys[i]
				for j := range old.List.Keys {
					was := &old.List.Keys[j]
					if was.Name != is.Name {
						continue
					}
					if key, ok := asMap(item)[is.Name]; ok && isKeyDefault(was, key) && !isKeyDefault(is, key) {
						return &graph.List{Keys: []graph.Key{*was}, KeyNames: []string{was.Name}}, is
					}
				}
			}
			if was, is = defaultedKey(old.List.Item, now.List.Item, item); is != nil {
				return was, is
			}
		}
	}
	return nil, nil
}

// holdsAny says whether one of the values is a map or list that is not empty.
func holdsAny(live []any) bool {
	return slices.ContainsFunc(live, func(v any) bool { return len(asMap(v)) > 0 || len(asList(v)) > 0 })
}

// whole returns all that the live values of one place have, for somebody who
// owned them as a whole; nil if that is nothing.
func (c *Carrier) whole(now *graph.Node, live []any) *fieldpath.Set {
	var all *fieldpath.Set
	for _, v := range live {
		if v == nil {
			continue
		}
		if _, found := Validate(now, v, true); found != nil {
			c.note(ReasonBecameGranular, "what is there is no value of the new type and stays owned as a whole: "+found[0].Path+": "+found[0].Message)
			return nil
		}
		set, found := FieldSet(now, v, nil)
		if found != nil {
			c.wrong = append(c.wrong, found...)
			return nil
		}
		if all == nil {
			all = set
		} else {
			all = all.Union(set)
		}
	}
	if all == nil || all.Empty() {
		return nil
	}
	if c.size += all.Size(); c.size > MaxCarried {
		c.wrong = diag.Newf(diag.BadSchema, "more than %d paths", MaxCarried)
		return nil
	}
	c.note(ReasonBecameGranular, "it was owned as a whole and is owned piece by piece")
	return all
}
