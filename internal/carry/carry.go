// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package carry

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
	"github.com/dovetail-ssa/dovetail/value"
)

// MaxPaths is how many paths one field set may have after it was carried: an
// entry that names many items has what is below it once for each.
const MaxPaths = 1 << 20

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
	w     *item.Memory
	// was and is are the paths to here, as they were and as they are.
	was, is fieldpath.Path
	moves   []Move
	size    int
	wrong   diag.Findings
}

// New returns a Carrier of the sets of live, a value of type old, which is not
// written to while the Carrier is used.
func New(old, now *graph.Node, live any) *Carrier {
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
	c.w = item.NewMemory()
	defer c.w.Done()
	c.moves, c.size, c.wrong = nil, 0, nil
	if c.resolved(c.root.old, c.root.now) {
		out = c.below(c.root.old, c.root.now, []any{c.root.live}, set)
	}
	if c.wrong != nil {
		return nil, nil, c.wrong
	}
	return out, c.moves, nil
}

// assembled is the set of these places.
func assembled(all []ownedset.Place) *fieldpath.Set {
	var members []fieldpath.PathElement
	var children []fieldpath.SetNode
	for _, p := range all {
		if p.Member {
			members = append(members, p.Element)
		}
		if p.Below != nil {
			children = append(children, fieldpath.SetNode{PathElement: p.Element, Set: p.Below})
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
	if c.size += set.Members.Size() + len(set.Children.Sorted()); c.size > MaxPaths {
		c.wrong = diag.Newf(diag.BadSchema, "more than %d paths", MaxPaths)
		return set
	}
	was, is := data.FirstKind(old.Kinds()), data.FirstKind(now.Kinds())
	switch {
	case was != is:
		c.note(ReasonKindChanged, "it was "+kindName(was)+" and is "+kindName(is))
	case is == graph.MapKind && !now.Map.Atomic && !now.Map.Deduced && !old.Map.Deduced:
		return c.fields(old, now, live, set)
	case is == graph.ListKind && old.List.IsAssociative() && now.List.IsAssociative():
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
	all := slices.Collect(ownedset.Places(set))
	changed := false
	for i := range all {
		p := &all[i]
		from, known := ownedset.TypeAt(old, &p.Element)
		to, still := ownedset.TypeAt(now, &p.Element)
		if !known {
			continue
		}
		c.at(p.Element, p.Element, func() {
			if !still {
				c.note(ReasonFieldGone, "the schema does not have the field any more")
				return
			}
			if c.resolved(from, to) {
				loose := p.Element.FieldName == nil || now.Map.Field(*p.Element.FieldName) == nil
				changed = c.place(from, to, valuesAt(live, &p.Element), p, loose) || changed
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
		if v, ok := data.AsMap(m)[*pe.FieldName]; ok {
			values = append(values, v)
		}
	}
	return values
}

func (c *Carrier) resolved(types ...*graph.Node) bool {
	for _, t := range types {
		if t.Missing {
			c.wrong = append(c.wrong, ownedset.Unresolved(t)...)
			return false
		}
	}
	return true
}

// place carries what a set has at one place and below. loose says that the place
// is an item or an undeclared field, which is owned besides what is below it.
func (c *Carrier) place(old, now *graph.Node, live []any, p *ownedset.Place, loose bool) (changed bool) {
	if p.Below != nil && old != now && ownedset.Swallows(old, p.Below) {
		c.note(ReasonBecameAtomic, "it was atomic already: who owned a piece of it owned it all")
		p.Member, p.Below, changed = true, nil, true
	}
	if p.Below != nil {
		if ownedset.Swallows(now, p.Below) {
			c.note(ReasonBecameAtomic, "it was owned piece by piece and is owned as a whole")
			p.Member, p.Below = true, nil
			return true
		}
		below := c.below(old, now, live, p.Below)
		changed = below != p.Below
		p.Below = below
	}
	if !p.Member || old == now || old.Granular() == now.Granular() {
		if p.Member && old != now && !now.Granular() {
			c.leftOutWithin(old, now, live)
		}
		return changed
	}
	if old.Granular() {
		holds := func(v any) bool { return len(data.AsMap(v)) > 0 || len(data.AsList(v)) > 0 }
		if now.Kinds()&(graph.MapKind|graph.ListKind) != 0 && slices.ContainsFunc(live, holds) {
			c.note(ReasonBecameAtomic, "it was owned without what is in it and is owned as a whole")
		}
		return changed
	}
	whole := c.whole(now, live)
	if whole == nil {
		return changed
	}
	p.Member, p.Below = loose, united(whole, p.Below)
	return true
}

// united returns the union of two sets, each of which may be nil.
func united(a, b *fieldpath.Set) *fieldpath.Set {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return a.Union(b)
}

// leftOutWithin notes that a value which is owned as a whole has an item whose key has
// the old default: who left it out and applies the same again applies another value.
func (c *Carrier) leftOutWithin(old, now *graph.Node, live []any) {
	for _, v := range live {
		if was, is := defaultedKey(old, now, v); is != nil {
			c.note(ReasonLeftOut, fmt.Sprintf("an item in it has the key %s as it was by default, and %s; who left it out and applies the same again applies another value",
				is.Name, strings.Join(keyChanged(was, is), "; ")))
			return
		}
	}
}

// defaultedKey returns a key that an item somewhere in v has as it is by default in a
// list of type old, and what it is now if it has another default; nil if there is none.
func defaultedKey(old, now *graph.Node, v any) (was, is *graph.Key) {
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
		for _, it := range x {
			for i := range now.List.Keys {
				is := &now.List.Keys[i]
				was := old.List.Key(is.Name)
				if key, ok := data.AsMap(it)[is.Name]; ok && was != nil && item.IsKeyDefault(was, key) && !item.IsKeyDefault(is, key) {
					return was, is
				}
			}
			if was, is = defaultedKey(old.List.Item, now.List.Item, it); is != nil {
				return was, is
			}
		}
	}
	return nil, nil
}

// whole returns all that the live values of one place have, for somebody who
// owned them as a whole; nil if that is nothing.
func (c *Carrier) whole(now *graph.Node, live []any) *fieldpath.Set {
	var all *fieldpath.Set
	for _, v := range live {
		if v == nil {
			continue
		}
		if _, found := engine.Validate(now, v, true); found != nil {
			c.note(ReasonBecameGranular, "what is there is no value of the new type and stays owned as a whole: "+found[0].Path+": "+found[0].Message)
			return nil
		}
		set, found := engine.FieldSet(now, v, nil)
		if found != nil {
			c.wrong = append(c.wrong, found...)
			return nil
		}
		all = united(all, set)
	}
	if all == nil || all.Empty() {
		return nil
	}
	if c.size += all.Size(); c.size > MaxPaths {
		c.wrong = diag.Newf(diag.BadSchema, "more than %d paths", MaxPaths)
		return nil
	}
	c.note(ReasonBecameGranular, "it was owned as a whole and is owned piece by piece")
	return all
}

// register finds the items of a list by what they are called.
type register []named

type named struct {
	pe fieldpath.PathElement
	at int
}

func registerOf(w *item.Memory, l *graph.List, items []any) register {
	r := make(register, 0, len(items))
	for i, v := range items {
		if item.Identified(l, v) {
			r = append(r, named{w.Element(l, v), i})
		}
	}
	slices.SortFunc(r, byElement)
	return r
}

func byElement(a, b named) int { return cmp.Or(a.pe.Compare(b.pe), a.at-b.at) }

// find returns the items that pe names, in order.
func (r register) find(pe fieldpath.PathElement) register {
	from, _ := slices.BinarySearchFunc(r, pe, func(n named, pe fieldpath.PathElement) int {
		return n.pe.Compare(pe)
	})
	to := from
	for to < len(r) && r[to].pe.Compare(pe) == 0 {
		to++
	}
	return r[from:to]
}

// renamed is what became of one element of a list's set.
type renamed struct {
	ownedset.Place
	from fieldpath.PathElement
	// move is the index of the move that it was reported by, -1 if none was.
	move int
}

// called is what the items of one list are called, or those of several that are live at
// one place. It carries the pieces of sets that are items of these lists.
type called struct {
	*Carrier
	old, now      *graph.List
	lists         []any
	values        []any
	before, after register
	// calls is what each item is called now, nil for none.
	calls []*fieldpath.PathElement
	// mine says of each item in which round a set named it by the old keys.
	mine  []int
	round int
}

// called returns what the items of live lists are called.
func (c *Carrier) called(old, now *graph.List, live []any) *called {
	var first *any
	for _, v := range live {
		if l := data.AsList(v); len(l) > 0 {
			first = &l[0]
			break
		}
	}
	alike := func(a, b any) bool { return box.SameList(data.AsList(a), data.AsList(b)) }
	if l := c.known[first]; l != nil && l.old == old && l.now == now && slices.EqualFunc(l.lists, live, alike) {
		return l
	}
	l := &called{Carrier: c, old: old, now: now, lists: live}
	for _, v := range live {
		l.values = append(l.values, data.AsList(v)...)
	}
	l.before, l.after = registerOf(c.w, old, l.values), registerOf(c.w, now, l.values)
	l.calls = make([]*fieldpath.PathElement, len(l.values))
	for i := range l.after {
		l.calls[l.after[i].at] = &l.after[i].pe
	}
	l.mine = make([]int, len(l.values))
	if first != nil {
		if c.known == nil {
			c.known = map[*any]*called{}
		}
		c.known[first] = l
	}
	return l
}

// items carries what a set has of the items of live lists: each element names
// items by the old keys, and is replaced by what these are called by the new ones.
func (c *Carrier) items(old, now *graph.List, live []any, set *fieldpath.Set) *fieldpath.Set {
	if len(old.Keys) == 0 && len(now.Keys) == 0 || !c.resolved(old.Item, now.Item) {
		return set
	}
	l := c.called(old, now, live)
	l.round++
	all := slices.Collect(ownedset.Places(set))
	for i := range all {
		for _, n := range l.named(all[i].Element) {
			l.mine[n.at] = l.round
		}
	}
	var out []renamed
	changed := false
	for _, p := range all {
		for _, r := range l.item(p) {
			changed = changed || r.Element.Compare(p.Element) != 0 || r.Member != p.Member || r.Below != p.Below
			out = append(out, r)
		}
	}
	if !changed {
		return set
	}
	slices.SortStableFunc(out, func(a, b renamed) int { return a.Element.Compare(b.Element) })
	return assembled(c.joined(out))
}

// filled returns a stored element as a list of type l reads it.
func filled(l *graph.List, pe fieldpath.PathElement) fieldpath.PathElement {
	if l.Declarative {
		return item.FillKey(l, pe)
	}
	return pe
}

// named returns the live items that a stored element names by the old keys.
func (l *called) named(pe fieldpath.PathElement) register { return l.before.find(filled(l.old, pe)) }

// item returns what became of one piece: more than one if the items that it
// named are told apart now.
func (l *called) item(p ownedset.Place) (out []renamed) {
	mine := l.named(p.Element)
	if len(mine) == 0 {
		r := l.rename(p, filled(l.now, filled(l.old, p.Element)), ReasonNoItem, nil)
		if to, ok := l.leftOut(r.Element, p.Below); ok && len(l.after.find(to)) > 0 {
			l.at(p.Element, r.Element, func() {
				l.note(ReasonNoItem, fmt.Sprintf("no live item has that name, but %s is there, which it names if it took the new default: live is to be read as it was stored", to))
			})
		}
		return append(out, r)
	}
	groups := make(register, 0, len(mine))
	var lost []any
	for _, n := range mine {
		if to := l.calls[n.at]; to != nil {
			groups = append(groups, named{*to, n.at})
		} else {
			lost = append(lost, l.values[n.at])
		}
	}
	slices.SortFunc(groups, byElement)
	reason := ReasonRekeyed
	if len(groups) > 0 && (len(lost) > 0 || groups[0].pe.Compare(groups[len(groups)-1].pe) != 0) {
		reason = ReasonSplit
	}
	for len(groups) > 0 {
		group := groups.find(groups[0].pe)
		groups = groups[len(group):]
		values := make([]any, len(group))
		for i, n := range group {
			values[i] = l.values[n.at]
		}
		out = append(out, l.rename(p, group[0].pe, reason, values))
	}
	if len(lost) > 0 {
		out = append(out, l.rename(p, filled(l.now, p.Element), ReasonUnnamed, lost))
	}
	return out
}

// rename returns p with the name pe, for the values that it names from now on.
func (l *called) rename(p ownedset.Place, pe fieldpath.PathElement, reason Reason, values []any) renamed {
	r := renamed{Place: p, from: p.Element, move: -1}
	same := pe.Compare(p.Element) == 0
	if !same {
		r.Element = pe
	}
	l.at(p.Element, r.Element, func() {
		why := keysChanged(l.old, l.now, p.Element, r.Element)
		if !same || reason == ReasonUnnamed || reason == ReasonSplit {
			r.move = len(l.moves)
			switch reason {
			case ReasonNoItem:
				l.note(reason, "no live item has that name; missing keys took their defaults")
			case ReasonUnnamed:
				l.note(reason, "the live item has no identity any more: "+why)
			default:
				l.note(reason, why)
			}
		}
		if n := l.newcomers(r.Element); n > 0 {
			items := "a live item"
			if n > 1 {
				items = fmt.Sprintf("%d live items", n)
			}
			l.note(ReasonShared, fmt.Sprintf("it names %s that it did not name before: %s", items, why))
		}
		if to, ok := l.leftOut(r.Element, p.Below); ok && len(values) > 0 {
			named := to.String()
			if len(*to.Key) == 0 {
				named = "no item, which is refused"
			}
			l.note(ReasonLeftOut, fmt.Sprintf("%s; who left it out and applies the same again names %s", keysChanged(l.old, l.now, r.Element, to), named))
		}
		l.place(l.old.Item, l.now.Item, values, &r.Place, true)
	})
	return r
}

// leftOut returns what an item called pe will be called by an owner who has what
// is below of it, and applies it again as before: a key that is not owned was left
// out, if it had the old default or was no key, and has the new default then. ok is
// false if that is pe, or if the owner has less than anybody applies: the item alone,
// but not a key that is there and had to be written. Of items that are owned as a whole
// nobody owns the keys; any that could be left out may have been.
func (l *called) leftOut(pe fieldpath.PathElement, below *fieldpath.Set) (to fieldpath.PathElement, ok bool) {
	if pe.Key == nil {
		return pe, false
	}
	var key value.FieldList
	for i := range l.now.Keys {
		is := &l.now.Keys[i]
		v, has := keyIn(pe, is.Name)
		was := l.old.Key(is.Name)
		// Whether the item was called the same without the key.
		could := has && (was == nil || item.IsKeyDefault(was, v))
		if has && !could && below == nil && l.old.HasKeys() {
			return pe, false
		}
		if could && (below == nil || !below.Members.Has(fieldpath.PathElement{FieldName: &is.Name})) && !item.IsKeyDefault(is, v) {
			v, has = item.KeyDefault(is)
			ok = true
		}
		if has {
			key = append(key, value.Field{Name: is.Name, Value: value.NewValueInterface(v)})
		}
	}
	return fieldpath.PathElement{Key: &key}, ok
}

// newcomers counts the items that pe names now, and that the set did not name.
func (l *called) newcomers(pe fieldpath.PathElement) (n int) {
	for _, found := range l.after.find(pe) {
		if l.mine[found.at] != l.round {
			n++
		}
	}
	return n
}

// joined makes one piece of those that have come to have one name.
func (c *Carrier) joined(all []renamed) []ownedset.Place {
	out := make([]ownedset.Place, 0, len(all))
	for i := range all {
		r := &all[i]
		if i == 0 || r.Element.Compare(all[i-1].Element) != 0 {
			out = append(out, r.Place)
			continue
		}
		if r.from.Compare(all[i-1].from) != 0 {
			c.merged(all[i-1].move)
			c.merged(r.move)
		}
		into := &out[len(out)-1]
		into.Member = into.Member || r.Member
		into.Below = united(into.Below, r.Below)
	}
	return out
}

// merged says of a move that its entry has come to be one with another.
func (c *Carrier) merged(move int) {
	switch {
	case move < 0:
	case c.moves[move].Reason == ReasonUnnamed:
		m := c.moves[move]
		m.Reason = ReasonMerged
		c.moves = append(c.moves, m)
	default:
		c.moves[move].Reason = ReasonMerged
	}
}
