// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// register finds the items of a list by what they are called.
type register []named

type named struct {
	pe fieldpath.PathElement
	at int
}

func registerOf(w *memory, l *graph.List, items []any) register {
	r := make(register, 0, len(items))
	for i, v := range items {
		if identified(l, v) {
			r = append(r, named{w.element(l, v), i})
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
	piece
	from fieldpath.PathElement
	// move is the index of the move that it was reported by, -1 if none was.
	move int
}

// called is what the items of one list are called, or those of several that are live at
// one place.
type called struct {
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
		if l := asList(v); len(l) > 0 {
			first = &l[0]
			break
		}
	}
	alike := func(a, b any) bool { return sameList(asList(a), asList(b)) }
	if l := c.known[first]; l != nil && l.old == old && l.now == now && slices.EqualFunc(l.lists, live, alike) {
		return l
	}
	l := &called{old: old, now: now, lists: live}
	for _, v := range live {
		l.values = append(l.values, asList(v)...)
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

// lists carries the pieces of a set that are items of lists.
type lists struct {
	*Carrier
	*called
	round int // of this set
}

// items carries what a set has of the items of live lists: each element names
// items by the old keys, and is replaced by what these are called by the new ones.
func (c *Carrier) items(old, now *graph.List, live []any, set *fieldpath.Set) *fieldpath.Set {
	if len(old.Keys) == 0 && len(now.Keys) == 0 || !c.resolved(old.Item, now.Item) {
		return set
	}
	l := lists{Carrier: c, called: c.called(old, now, live)}
	l.called.round++
	l.round = l.called.round
	all := pieces(set)
	for i := range all {
		for _, n := range l.named(all[i].pe) {
			l.mine[n.at] = l.round
		}
	}
	var out []renamed
	changed := false
	for _, p := range all {
		for _, r := range l.item(p) {
			changed = changed || r.pe.Compare(p.pe) != 0 || r.member != p.member || r.below != p.below
			out = append(out, r)
		}
	}
	if !changed {
		return set
	}
	slices.SortStableFunc(out, func(a, b renamed) int { return a.pe.Compare(b.pe) })
	return assembled(c.joined(out))
}

// read returns a stored element as the old type reads it.
func (l *lists) read(pe fieldpath.PathElement) fieldpath.PathElement {
	if l.old.Declarative {
		return fillKey(l.old, pe)
	}
	return pe
}

// filled returns an element that names nothing as the new type reads it.
func (l *lists) filled(pe fieldpath.PathElement) fieldpath.PathElement {
	if l.now.Declarative {
		return fillKey(l.now, pe)
	}
	return pe
}

// named returns the live items that a stored element names by the old keys.
func (l *lists) named(pe fieldpath.PathElement) register { return l.before.find(l.read(pe)) }

// item returns what became of one piece: more than one if the items that it
// named are told apart now.
func (l *lists) item(p piece) (out []renamed) {
	mine := l.named(p.pe)
	if len(mine) == 0 {
		r := l.rename(p, l.filled(l.read(p.pe)), ReasonNoItem, nil)
		if to, ok := l.leftOut(r.pe, p.below); ok && len(l.after.find(to)) > 0 {
			l.at(p.pe, r.pe, func() {
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
		out = append(out, l.rename(p, l.filled(p.pe), ReasonUnnamed, lost))
	}
	return out
}

// rename returns p with the name pe, for the values that it names from now on.
func (l *lists) rename(p piece, pe fieldpath.PathElement, reason Reason, values []any) renamed {
	r := renamed{piece: p, from: p.pe, move: -1}
	same := pe.Compare(p.pe) == 0
	if !same {
		r.pe = pe
	}
	l.at(p.pe, r.pe, func() {
		why := keysChanged(l.old, l.now, p.pe, r.pe)
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
		if n := l.newcomers(r.pe); n > 0 {
			l.note(ReasonShared, fmt.Sprintf("it names %s that it did not name before: %s", plural(n, "live item", "live items"), why))
		}
		if to, ok := l.leftOut(r.pe, p.below); ok && len(values) > 0 {
			named := to.String()
			if len(*to.Key) == 0 {
				named = "no item, which is refused"
			}
			l.note(ReasonLeftOut, fmt.Sprintf("%s; who left it out and applies the same again names %s", keysChanged(l.old, l.now, r.pe, to), named))
		}
		l.place(l.old.Item, l.now.Item, values, &r.piece, true)
	})
	return r
}

// leftOut returns what an item called pe will be called by an owner who has what
// is below of it, and applies it again as before: a key that is not owned was left
// out, if it had the old default or was no key, and has the new default then. ok is
// false if that is pe, or if the owner has less than anybody applies: the item alone,
// but not a key that is there and had to be written. Of items that are owned as a whole
// nobody owns the keys; any that could be left out may have been.
func (l *lists) leftOut(pe fieldpath.PathElement, below *fieldpath.Set) (to fieldpath.PathElement, ok bool) {
	if pe.Key == nil {
		return pe, false
	}
	var key value.FieldList
	for i := range l.now.Keys {
		is := &l.now.Keys[i]
		v, has := keyIn(pe, is.Name)
		could := has && l.couldBeLeftOut(is.Name, v)
		if has && !could && below == nil && !wholeItems(l.old) {
			return pe, false
		}
		if could && (below == nil || !below.Members.Has(fieldpath.PathElement{FieldName: &is.Name})) && !isKeyDefault(is, v) {
			v, has = keyDefault(is)
			ok = true
		}
		if has {
			key = append(key, value.Field{Name: is.Name, Value: value.NewValueInterface(v)})
		}
	}
	return fieldpath.PathElement{Key: &key}, ok
}

// couldBeLeftOut says whether an item was called the same with the value v for the key
// of that name as without it, by the old keys.
func (l *lists) couldBeLeftOut(name string, v any) bool {
	for i := range l.old.Keys {
		if was := &l.old.Keys[i]; was.Name == name {
			return isKeyDefault(was, v)
		}
	}
	return true
}

// newcomers counts the items that pe names now, and that the set did not name.
func (l *lists) newcomers(pe fieldpath.PathElement) (n int) {
	for _, found := range l.after.find(pe) {
		if l.mine[found.at] != l.round {
			n++
		}
	}
	return n
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "a " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// joined makes one piece of those that have come to have one name.
func (c *Carrier) joined(all []renamed) []piece {
	out := make([]piece, 0, len(all))
	for i := range all {
		r := &all[i]
		if i == 0 || r.pe.Compare(all[i-1].pe) != 0 {
			out = append(out, r.piece)
			continue
		}
		if r.from.Compare(all[i-1].from) != 0 {
			c.merged(all[i-1].move)
			c.merged(r.move)
		}
		into := &out[len(out)-1]
		into.member = into.member || r.member
		switch {
		case into.below == nil:
			into.below = r.below
		case r.below != nil:
			into.below = into.below.Union(r.below)
		}
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
